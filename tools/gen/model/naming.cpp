// SPDX-License-Identifier: BSL-1.0
#include "gen/model/naming.hpp"

#include <algorithm>
#include <iterator>

namespace tenon::gen {
namespace {

bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
char to_upper(char c) noexcept {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

// Sorted. Includes the types of generated C headers, which members of their structs would hide in
// C++, and macros of the standard headers and of compilers.
constexpr std::string_view keywords[] = {"alignas",
                                         "alignof",
                                         "alloca",
                                         "and",
                                         "and_eq",
                                         "asm",
                                         "assert",
                                         "assert_perror",
                                         "auto",
                                         "be16toh",
                                         "be32toh",
                                         "be64toh",
                                         "bitand",
                                         "bitor",
                                         "bool",
                                         "break",
                                         "case",
                                         "catch",
                                         "char",
                                         "char16_t",
                                         "char32_t",
                                         "char8_t",
                                         "class",
                                         "co_await",
                                         "co_return",
                                         "co_yield",
                                         "compl",
                                         "concept",
                                         "const",
                                         "const_cast",
                                         "consteval",
                                         "constexpr",
                                         "constinit",
                                         "continue",
                                         "decltype",
                                         "default",
                                         "delete",
                                         "do",
                                         "double",
                                         "dynamic_cast",
                                         "else",
                                         "enum",
                                         "errno",
                                         "explicit",
                                         "export",
                                         "extern",
                                         "false",
                                         "float",
                                         "for",
                                         "friend",
                                         "goto",
                                         "htobe16",
                                         "htobe32",
                                         "htobe64",
                                         "htole16",
                                         "htole32",
                                         "htole64",
                                         "if",
                                         "inline",
                                         "int",
                                         "int16_t",
                                         "int32_t",
                                         "int64_t",
                                         "int8_t",
                                         "issubnormal",
                                         "le16toh",
                                         "le32toh",
                                         "le64toh",
                                         "linux",
                                         "long",
                                         "math_errhandling",
                                         "mutable",
                                         "namespace",
                                         "new",
                                         "noexcept",
                                         "not",
                                         "not_eq",
                                         "nullptr",
                                         "offsetof",
                                         "operator",
                                         "or",
                                         "or_eq",
                                         "private",
                                         "protected",
                                         "pthread_cleanup_pop",
                                         "pthread_cleanup_pop_restore_np",
                                         "pthread_cleanup_push",
                                         "pthread_cleanup_push_defer_np",
                                         "public",
                                         "register",
                                         "reinterpret_cast",
                                         "requires",
                                         "restrict",
                                         "return",
                                         "sched_priority",
                                         "setjmp",
                                         "short",
                                         "signed",
                                         "size_t",
                                         "sizeof",
                                         "static",
                                         "static_assert",
                                         "static_cast",
                                         "stderr",
                                         "stdin",
                                         "stdout",
                                         "strdupa",
                                         "strndupa",
                                         "struct",
                                         "switch",
                                         "template",
                                         "tenon_base",
                                         "tenon_buffer",
                                         "tenon_bytes",
                                         "tenon_call",
                                         "tenon_duration",
                                         "tenon_list",
                                         "tenon_map",
                                         "tenon_reader",
                                         "tenon_status",
                                         "tenon_string",
                                         "tenon_timestamp",
                                         "tenon_writer",
                                         "this",
                                         "thread_local",
                                         "throw",
                                         "true",
                                         "try",
                                         "typedef",
                                         "typeid",
                                         "typename",
                                         "typeof",
                                         "typeof_unqual",
                                         "uint16_t",
                                         "uint32_t",
                                         "uint64_t",
                                         "uint8_t",
                                         "union",
                                         "unix",
                                         "unsigned",
                                         "using",
                                         "va_arg",
                                         "va_copy",
                                         "va_end",
                                         "va_start",
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "wchar_t",
                                         "while",
                                         "xor",
                                         "xor_eq"};
static_assert(std::is_sorted(std::begin(keywords), std::end(keywords)));

// Functions, structs and variables that the headers of C++ declare globally, so that no namespace
// can have the same name.
constexpr std::string_view library_names =
    " abort abs access acos acosh alarm asctime asin asinh atan atan2 atanh atexit atof atoi atol "
    "atoll basename bsearch calloc cbrt ceil chdir chown clearerr clock close copysign cos cosh "
    "crypt ctime daemon daylight difftime div dup environ erf erfc exit exp exp2 expm1 fabs "
    "fclose fdim feof ferror fflush fgetc fgets floor fma fmax fmin fmod fopen fork fprintf fputc "
    "fputs fread free freopen frexp fscanf fseek fsync ftell ftruncate fwrite gamma getc getchar "
    "getenv getopt gmtime hypot ilogb index isalnum isalpha isblank iscntrl isdigit isgraph "
    "islower isprint ispunct isspace isupper isxdigit j0 j1 jn labs ldexp ldiv lgamma link llabs "
    "lldiv localtime log log10 log1p log2 logb lround lseek malloc memchr memcmp memcpy memmove "
    "memset mktime modf nan nanosleep nice optarg pause perror pipe popen pow printf putc putchar "
    "putenv puts qsort raise rand random read readlink realloc realpath remainder remove remquo "
    "rename rewind rindex rint rmdir round scanf select setbuf setenv setvbuf signal sin sinh "
    "sleep snprintf sprintf sqrt srand srandom sscanf strcat strchr strcmp strcoll strcpy strcspn "
    "strdup strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod "
    "strtok strtol strtoul strxfrm swab symlink sync syscall system tan tanh tempnam tgamma time "
    "timespec timeval timezone tm tmpfile tmpnam tolower toupper trunc truncate ttyname ungetc "
    "unlink usleep vfork vprintf wprintf write y0 y1 yn ";

}  // namespace

std::string camel_case(std::string_view name) {
  std::string camel;
  bool begins_word = true;
  for (char c : name) {
    if (c != '_') camel += begins_word ? to_upper(c) : c;
    begins_word = c == '_';
  }
  return camel;
}

std::string upper_case(std::string_view name) {
  std::string upper;
  std::transform(name.begin(), name.end(), std::back_inserter(upper), to_upper);
  return upper;
}

bool is_snake_case(std::string_view name) noexcept {
  if (name.empty() || !is_lower(name.front()) || name.back() == '_') return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool follows_bar = i != 0 && name[i - 1] == '_';
    if (!is_lower(name[i]) && !is_digit(name[i]) && (name[i] != '_' || follows_bar)) return false;
  }
  return true;
}

bool is_keyword(std::string_view word) noexcept {
  return std::binary_search(std::begin(keywords), std::end(keywords), word);
}

bool is_library_name(std::string_view word) {
  return library_names.find(" " + std::string(word) + " ") != std::string_view::npos;
}

std::string inner_name(const Version& version, std::string_view name) {
  const std::string space = version.header.substr(0, version.header.find('/'));
  return space + "::" + camel_case(version.c_name.substr(space.size() + 1)) + camel_case(name);
}

std::string request_name(const KindVersion& version, const Method& method) {
  return version.c_name + "_" + method.name + "_request";
}

std::string response_name(const KindVersion& version, const Method& method) {
  return version.c_name + "_" + method.name + "_response";
}

std::string constant_name(const Enum& enumeration, std::string_view value) {
  return upper_case(enumeration.c_name) + "_" + upper_case(value);
}

std::string hex(std::uint64_t fingerprint) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, fingerprint >>= 4) {
    *digit = "0123456789abcdef"[fingerprint & 0xf];
  }
  return digits;
}

}  // namespace tenon::gen
