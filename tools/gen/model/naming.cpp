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
// C++, and macros that compilers define.
constexpr std::string_view keywords[] = {"alignas",
                                         "alignof",
                                         "and",
                                         "and_eq",
                                         "asm",
                                         "auto",
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
                                         "explicit",
                                         "export",
                                         "extern",
                                         "false",
                                         "float",
                                         "for",
                                         "friend",
                                         "goto",
                                         "if",
                                         "inline",
                                         "int",
                                         "int16_t",
                                         "int32_t",
                                         "int64_t",
                                         "int8_t",
                                         "linux",
                                         "long",
                                         "mutable",
                                         "namespace",
                                         "new",
                                         "noexcept",
                                         "not",
                                         "not_eq",
                                         "nullptr",
                                         "operator",
                                         "or",
                                         "or_eq",
                                         "private",
                                         "protected",
                                         "public",
                                         "register",
                                         "reinterpret_cast",
                                         "requires",
                                         "restrict",
                                         "return",
                                         "short",
                                         "signed",
                                         "size_t",
                                         "sizeof",
                                         "static",
                                         "static_assert",
                                         "static_cast",
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
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "wchar_t",
                                         "while",
                                         "xor",
                                         "xor_eq"};
static_assert(std::is_sorted(std::begin(keywords), std::end(keywords)));

/// Lower-case macros of a header of C, POSIX or Linux.
struct Macros {
  std::string_view header;
  std::string_view names;
};

// A macro with arguments also breaks C++ that declares a function of its name. Those that only C
// defines, such as `isalpha`, do not matter in declarations, and are not listed.
constexpr Macros macros[] = {
    {"alloca.h", " alloca "},
    {"arpa/nameser.h",
     " ns_msg_base ns_msg_count ns_msg_end ns_msg_id ns_msg_size ns_rr_class ns_rr_name ns_rr_rdata "
     "ns_rr_rdlen ns_rr_ttl ns_rr_type "},
    {"assert.h", " assert assert_perror "},
    {"byteswap.h", " bswap_16 bswap_32 bswap_64 "},
    {"complex.h", " complex "},
    {"ctype.h",
     " isalnum_l isalpha_l isascii isascii_l isblank_l iscntrl_l isdigit_l isgraph_l islower_l "
     "isprint_l ispunct_l isspace_l isupper_l isxdigit_l toascii toascii_l "},
    {"dirent.h", " d_fileno "},
    {"endian.h",
     " be16toh be32toh be64toh htobe16 htobe32 htobe64 htole16 htole32 htole64 le16toh le32toh "
     "le64toh "},
    {"errno.h", " errno "},
    {"getopt.h", " no_argument optional_argument required_argument "},
    {"ifaddrs.h", " ifa_broadaddr ifa_dstaddr "},
    {"libgen.h", " basename "},
    {"math.h", " issubnormal math_errhandling "},
    {"net/if.h",
     " ifc_buf ifc_req ifr_addr ifr_bandwidth ifr_broadaddr ifr_data ifr_dstaddr ifr_flags "
     "ifr_hwaddr ifr_ifindex ifr_map ifr_metric ifr_mtu ifr_name ifr_netmask ifr_newname ifr_qlen "
     "ifr_settings ifr_slave "},
    {"netdb.h", " h_addr h_errno "},
    {"netinet/icmp6.h",
     " icmp6_data16 icmp6_data32 icmp6_data8 icmp6_id icmp6_maxdelay icmp6_mtu icmp6_pptr icmp6_seq "
     "mld_cksum mld_code mld_maxdelay mld_reserved mld_type nd_na_cksum nd_na_code "
     "nd_na_flags_reserved nd_na_type nd_ns_cksum nd_ns_code nd_ns_reserved nd_ns_type nd_ra_cksum "
     "nd_ra_code nd_ra_curhoplimit nd_ra_flags_reserved nd_ra_router_lifetime nd_ra_type "
     "nd_rd_cksum nd_rd_code nd_rd_reserved nd_rd_type nd_rs_cksum nd_rs_code nd_rs_reserved "
     "nd_rs_type rr_cksum rr_code rr_seqnum rr_type "},
    {"netinet/if_ether.h", " arp_hln arp_hrd arp_op arp_pln arp_pro "},
    {"netinet/in.h", " s6_addr s6_addr16 s6_addr32 "},
    {"netinet/ip6.h", " ip6_flow ip6_hlim ip6_hops ip6_nxt ip6_plen ip6_vfc "},
    {"netinet/ip_icmp.h",
     " icmp_data icmp_gwaddr icmp_id icmp_ip icmp_lifetime icmp_mask icmp_nextmtu icmp_num_addrs "
     "icmp_otime icmp_pmvoid icmp_pptr icmp_radv icmp_rtime icmp_seq icmp_ttime icmp_void icmp_wpa "},
    {"pthread.h",
     " pthread_cleanup_pop pthread_cleanup_pop_restore_np pthread_cleanup_push "
     "pthread_cleanup_push_defer_np "},
    {"resolv.h",
     " b64_ntop b64_pton dn_count_labels fp_nquery fp_query fp_resstat hostalias loc_aton loc_ntoa "
     "nsaddr p_cdname p_cdnname p_class p_fqname p_fqnname p_option p_query p_rcode p_time p_type "
     "putlong putshort res_close res_hostalias res_init res_isourserver res_nameinquery res_nclose "
     "res_ninit res_queriesmatch res_randomid sym_ntop sym_ntos sym_ston "},
    {"sched.h", " sched_priority "},
    {"setjmp.h", " setjmp sigsetjmp "},
    {"signal.h",
     " sa_handler sa_sigaction si_addr si_addr_lsb si_arch si_band si_call_addr si_fd si_int "
     "si_lower si_overrun si_pid si_pkey si_ptr si_status si_stime si_syscall si_timerid si_uid "
     "si_upper si_utime si_value sigev_notify_attributes sigev_notify_function sigmask "},
    {"stdarg.h", " va_arg va_copy va_end va_start "},
    {"stdatomic.h",
     " atomic_compare_exchange_strong atomic_compare_exchange_strong_explicit "
     "atomic_compare_exchange_weak atomic_compare_exchange_weak_explicit atomic_exchange "
     "atomic_exchange_explicit atomic_fetch_add atomic_fetch_add_explicit atomic_fetch_and "
     "atomic_fetch_and_explicit atomic_fetch_or atomic_fetch_or_explicit atomic_fetch_sub "
     "atomic_fetch_sub_explicit atomic_fetch_xor atomic_fetch_xor_explicit atomic_flag_clear "
     "atomic_flag_clear_explicit atomic_flag_test_and_set atomic_flag_test_and_set_explicit "
     "atomic_init atomic_is_lock_free atomic_load atomic_load_explicit atomic_signal_fence "
     "atomic_store atomic_store_explicit atomic_thread_fence kill_dependency "},
    {"stddef.h", " offsetof "},
    {"stdio.h", " stderr stdin stdout "},
    {"stdnoreturn.h", " noreturn "},
    {"string.h", " strdupa strndupa "},
    {"sys/msg.h", " msg_cbytes "},
    {"sys/param.h", " clrbit howmany isclr isset powerof2 roundup setbit "},
    {"sys/stat.h", " st_atime st_ctime st_mtime "},
    {"sys/sysmacros.h", " major makedev minor "},
    {"sys/time.h", " timeradd timerclear timercmp timerisset timersub "},
    {"utmp.h", " ut_addr ut_name ut_time ut_xtime "},
};

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

bool contains(std::string_view words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

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

std::string_view header_of_macro(std::string_view word) {
  const auto found = std::find_if(std::begin(macros), std::end(macros),
                                  [&](const Macros& one) { return contains(one.names, word); });
  return found == std::end(macros) ? std::string_view() : found->header;
}

bool is_library_name(std::string_view word) {
  return contains(library_names, word);
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
