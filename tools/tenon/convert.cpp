// SPDX-License-Identifier: BSL-1.0
//
// tenon convert
//
// The input is one document of any number of lines, or a stream with one document on each line. It
// is a stream if its first line that is not empty is a complete document. The size of a document is
// limited. Only one document of a stream is in memory at a time.
#include <tenon/document.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app_converter.hpp"
#include "commands.hpp"
#include "common/diagnostics.hpp"
#include "common/text_file.hpp"
#include "file_rewriter.hpp"
#include "platform/utf8_path.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

void report(const std::string& where, const Error& error) {
  std::cerr << "tenon convert: " << escaped_for_display(where) << ": " << error.to_string() << "\n";
  if (error.code() == "version-too-new" || error.message() == "not a field of this type") {
    std::cerr << "   --lenient keeps unknown fields and versions\n";
  }
  if (error.code() == "missing-type") std::cerr << "   --type names the type of such documents\n";
  if (error.code() == "missing-version") {
    std::cerr << "   --from names the version of such documents\n";
  }
  if (error.code() == "unknown-type") {
    std::vector<std::string> known;
    for (const DocumentType* type : document_types()) known.emplace_back(type->id);
    const std::string meant = tools::did_you_mean(error.found(), known);
    if (!meant.empty()) std::cerr << "   " << meant << "\n";
  }
}

/// In bytes. Bounds the memory that endless input takes.
constexpr std::size_t largest_document = 64'000'000;

bool is_empty(std::string_view line) {
  return line.size() <= largest_document && line.find_first_not_of(" \t\r") == line.npos;
}

Error too_large() {
  return Error(
      {.code = "document-too-large",
       .found = "more than " + size_text(largest_document),
       .needed = "documents of at most " + size_text(largest_document),
       .fix = "check that this is the right file; a stream has one document on each line"});
}

/// Reads lines like std::getline, but stops in a line once it is larger than a document may be.
class Lines {
 public:
  explicit Lines(std::istream& in) : in_(in), memory_(chunk_size) {}

  bool next(std::string& line) {
    line.clear();
    while (line.size() <= largest_document) {
      in_.getline(memory_.data(), static_cast<std::streamsize>(memory_.size()));
      const auto count = static_cast<std::size_t>(in_.gcount());
      const bool ended = in_.good();  // the last character was the end of the line
      line.append(memory_.data(), ended ? count - 1 : count);
      if (ended || in_.eof() || in_.bad()) return ended || !line.empty();
      in_.clear();  // the memory is full
    }
    return true;
  }

  /// Appends the rest of the input, until `text` is too large.
  void rest(std::string& text) {
    while (text.size() <= largest_document && in_) {
      in_.read(memory_.data(), static_cast<std::streamsize>(memory_.size()));
      text.append(memory_.data(), static_cast<std::size_t>(in_.gcount()));
    }
  }

 private:
  std::istream& in_;
  std::vector<char> memory_;
};

/// The time limit of a hand-written step of an app.
constexpr std::chrono::seconds longest_step{60};

/// Converts documents. A document that needs a hand-written step of an app is passed to the
/// converter of that app.
class Converter {
 public:
  Converter(const Options& options, const ConvertArguments& arguments)
      : reading_{.type = arguments.type,
                 .from = arguments.from,
                 .to = arguments.to,
                 .lenient = arguments.lenient} {
    if (!options.converter.empty()) app_converter_.emplace(options.converter, longest_step);
  }

  Result<std::string_view> convert(std::string_view text) {
    if (text.size() > largest_document) return too_large();
    Result<std::string_view> converted = converter_.convert(text, reading_);
    if (converted || converted.error().code() != "missing-conversion" || !app_converter_)
      return converted;
    converted = app_converter_->convert(text, reading_);
    has_failed_ |= !converted && converted.error().code() == "converter-failed";
    return converted;
  }

  /// Returns whether the converter of the app failed.
  bool has_failed() const { return has_failed_; }

 private:
  DocumentReadOptions reading_;
  DocumentConverter converter_;
  std::optional<AppConverter> app_converter_;
  bool has_failed_ = false;
};

/// Converts the documents of one input.
class Documents {
 public:
  Documents(Converter& converter, std::string name)
      : converter_(converter), name_(std::move(name)) {}

  /// Passes each converted document to `write`, which returns whether it can take more. Stops and
  /// returns false if it cannot, or if a document cannot be converted, which is reported.
  template <class Write>
  bool convert(std::istream& in, Write&& write) {
    Lines lines(in);
    std::string line;
    std::size_t number = 0;
    while (lines.next(line) && is_empty(line)) ++number;
    if (is_empty(line)) return true;
    ++number;
    if (line.size() <= largest_document && !is_whole(line)) {
      lines.rest(line += '\n');
      return convert_one(line, number, false, write);
    }
    do {
      if (!is_empty(line) && !convert_one(line, number, true, write)) return false;
      ++number;
    } while (lines.next(line));
    return true;
  }

 private:
  bool is_whole(std::string_view line) { return parser_.parse(line).has_value(); }

  /// Converts a document that begins in this line of the input.
  template <class Write>
  bool convert_one(std::string_view text, std::size_t line, bool in_stream, Write&& write) {
    const Result<std::string_view> converted = converter_.convert(text);
    if (converted) return write(*converted);
    const Error& error = converted.error();
    const std::string_view where = error.where();
    std::size_t in_document = 0;
    const auto [rest, failed] = std::from_chars(where.begin(), where.end(), in_document);
    if (error.code() == "not-json" && failed == std::errc()) {
      // The error is at a line and column of the document.
      report(name_ + ":" + std::to_string(line + in_document - 1) + std::string(rest, where.end()),
             Error({.code = std::string(error.code()), .message = std::string(error.message())}));
    } else {
      report(in_stream ? name_ + ":" + std::to_string(line) : name_, error);
    }
    return false;
  }

  Converter& converter_;
  std::string name_;
  tenon::json::Parser parser_;
};

/// Buffers lines for standard output. Flushes them whenever no more input is available.
class Output {
 public:
  explicit Output(std::istream& in) : in_(*in.rdbuf()) {}

  /// Returns false if standard output has failed.
  bool write(std::string_view line) {
    text_.append(line) += '\n';
    if (text_.size() >= chunk_size || in_.in_avail() <= 0) flush();
    return std::cout.good();
  }
  void flush() {
    std::cout.write(text_.data(), static_cast<std::streamsize>(text_.size())).flush();
    text_.clear();
  }

 private:
  std::streambuf& in_;
  std::string text_;
};

/// The results for the files of a directory.
struct Outcome {
  std::size_t converted = 0;
  std::size_t unchanged = 0;
  std::size_t refused = 0;
  bool failed = false;
};

void report_unusable(const fs::path& path, std::string_view why) {
  std::cerr << "tenon convert: " << escaped_for_display(path.string()) << ": " << why << "\n";
}

void report(const tools::Diagnostic& problem) {
  std::cerr << "tenon: " << tools::to_text(problem) << "\n";
}

void convert_file(Converter& converter, const fs::path& path, Outcome& outcome) {
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) {
    report(tools::cannot_read(path, "opening the file", errno));
    outcome.failed = true;
    return;
  }
  FileRewriter rewriter(path);
  bool has_documents = false;
  const bool good = Documents(converter, path.string()).convert(in, [&](std::string_view line) {
    rewriter.write(line);
    has_documents = true;
    return true;
  });
  if (in.bad()) {
    report(tools::cannot_read(path, "reading the file", errno));
    outcome.failed = true;
    return;
  }
  if (!good) {
    ++outcome.refused;
    return;
  }
  // Blank lines are kept if there is nothing else.
  const auto done = has_documents ? rewriter.commit() : std::nullopt;
  if (!done) {
    ++outcome.unchanged;
  } else if (!done->failed) {
    ++outcome.converted;
    if (done->other_names != 0) {
      report_unusable(path, counted(done->other_names, "other name") +
                                " of the file (hard links) kept the old content");
    }
  } else {
    report(tools::cannot_write(path, "writing the file", done->failed.value()));
    outcome.failed = true;
  }
}

/// Adds the files of documents below a directory. A directory that cannot be read is reported, and
/// the others are still searched.
void add_files(const fs::path& directory, std::vector<fs::path>& files, Outcome& outcome) {
  std::error_code failed;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    const std::string extension = at->path().extension().string();
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
      add_files(at->path(), files, outcome);
    } else if ((extension == ".json" || extension == ".jsonl") && at->is_regular_file(ignored)) {
      files.push_back(at->path());
    }
  }
  if (!failed) return;
  report(tools::cannot_read(directory, "reading the directory", failed.value()));
  outcome.failed = true;
}

Exit convert_in_place(Converter& converter, const fs::path& path) {
  Outcome outcome;
  std::vector<fs::path> files;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_regular_file(status)) {
    files.push_back(path);
  } else if (fs::exists(status) && !fs::is_directory(status)) {
    report_unusable(path, "neither a file nor a directory");
    outcome.failed = true;
  } else {
    add_files(path, files, outcome);
    std::sort(files.begin(), files.end());
  }
  for (const fs::path& file : files) convert_file(converter, file, outcome);
  std::cerr << counted(outcome.converted, "file") << " converted, " << outcome.unchanged
            << " unchanged, " << outcome.refused << " refused\n";
  if (outcome.failed || converter.has_failed()) return io_error;
  return outcome.refused == 0 ? success : problems_found;
}

}  // namespace

Exit convert(const Options& options, const ConvertArguments& arguments) {
  Converter converter(options, arguments);
  const fs::path path = platform::path_from(arguments.file);
  if (arguments.in_place) return convert_in_place(converter, path);
  std::ios::sync_with_stdio(false);
  std::vector<char> memory(chunk_size);
  std::ifstream file;
  file.rdbuf()->pubsetbuf(memory.data(), static_cast<std::streamsize>(memory.size()));
  const bool standard = arguments.file.empty() || arguments.file == "-";
  if (!standard) {
    file.open(path, std::ios::binary);
    if (!file || fs::is_directory(path)) {
      report(tools::cannot_read(path, "opening the file", file ? EISDIR : errno));
      return io_error;
    }
  }
  std::istream& in = standard ? std::cin : file;
  Output output(in);
  Documents documents(converter, standard ? "standard input" : arguments.file);
  const bool good =
      documents.convert(in, [&output](std::string_view line) { return output.write(line); });
  output.flush();
  if (in.bad()) {
    report(tools::cannot_read(standard ? "standard input" : path, "reading it", errno));
    return io_error;
  }
  if (converter.has_failed()) return io_error;
  return good ? success : problems_found;
}

}  // namespace tenon::command
