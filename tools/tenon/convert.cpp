// SPDX-License-Identifier: BSL-1.0
//
// tenon convert
//
// A text is one document, however many lines it takes, or a stream with a document on each line.
// When the first line that is not empty is a whole document, it is a stream. A document has a
// largest size; of a stream no more than one document is in memory.
#include "common/findings.hpp"

#include <tenon/document.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app_converter.hpp"
#include "commands.hpp"
#include "rewriting.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

/// Where a document stands, for messages: "packages.jsonl:17".
std::string place(const std::string& name, std::size_t line) {
  return line == 0 ? name : name + ":" + std::to_string(line);
}

void report(const std::string& where, const Error& error) {
  std::cerr << "tenon convert: " << harmless(where) << ": " << error.to_string() << "\n";
  if (error.code() == "version-too-new" || error.message() == "not a field of this type") {
    std::cerr << "   --lenient keeps what this program does not know\n";
  }
  if (error.code() == "unknown-type") {
    std::vector<std::string> known;
    for (const DocumentType* type : document_types()) known.emplace_back(type->id);
    const std::string meant = reading::did_you_mean(error.found(), known);
    if (!meant.empty()) std::cerr << "   " << meant << "\n";
  }
}

/// Keeps an endless text from filling the memory.
constexpr std::size_t largest_document = 64'000'000;

bool is_empty(std::string_view line) {
  return line.size() <= largest_document && line.find_first_not_of(" \t\r") == line.npos;
}

Error too_large() {
  return Error({.code = "document-too-large",
                .found = "more than " + size_text(largest_document),
                .needed = "documents of at most " + size_text(largest_document),
                .fix = "check that this is the right file; a stream has each document on a line of "
                       "its own"});
}

/// Reads lines as std::getline does, but no more of one than makes it too large.
class Lines {
 public:
  explicit Lines(std::istream& in) : in_(in), memory_(piece) {}

  bool next(std::string& line) {
    line.clear();
    while (line.size() <= largest_document) {
      in_.getline(memory_.data(), static_cast<std::streamsize>(memory_.size()));
      const auto count = static_cast<std::size_t>(in_.gcount());
      const bool ended = in_.good();  // its last character was the end of the line
      line.append(memory_.data(), ended ? count - 1 : count);
      if (ended || in_.eof() || in_.bad()) return ended || !line.empty();
      in_.clear();  // the memory is full
    }
    return true;
  }

  /// All that is left; no more than makes `text` too large.
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

/// How long a hand-written step of an app may take.
constexpr std::chrono::seconds longest_step{60};

/// Converts one document after the other. What needs a hand-written step of an app goes to the
/// converter of that app.
class Converter {
 public:
  Converter(const Options& options, const Conversions& how)
      : reading_{.type = how.type, .from = how.from, .to = how.to, .lenient = how.lenient} {
    if (!options.converter.empty()) by_hand_.emplace(options.converter, longest_step);
  }

  Result<std::string_view> convert(std::string_view text) {
    if (text.size() > largest_document) return too_large();
    Result<std::string_view> converted = converter_.convert(text, reading_);
    if (converted || converted.error().code() != "missing-conversion" || !by_hand_)
      return converted;
    converted = by_hand_->convert(text, reading_);
    has_failed_ |= !converted && converted.error().code() == "converter-failed";
    return converted;
  }

  /// Whether the converter of the app could not do its work.
  bool has_failed() const { return has_failed_; }

 private:
  DocumentReadOptions reading_;
  DocumentConverter converter_;
  std::optional<AppConverter> by_hand_;
  bool has_failed_ = false;
};

/// Converts the documents of one text.
class Documents {
 public:
  Documents(Converter& converter, std::string name)
      : converter_(converter), name_(std::move(name)) {}

  /// Hands each document, converted, to `write`. False: something is wrong, and was reported; what
  /// stood before it was handed over.
  template <class Write>
  bool convert(std::istream& in, Write&& write) {
    Lines lines(in);
    std::string line;
    std::size_t number = 0;
    while (lines.next(line) && is_empty(line)) number++;
    if (is_empty(line)) return true;
    number++;
    if (line.size() <= largest_document && !is_whole(line)) {
      lines.rest(line += '\n');
      return convert_one(line, 0, write);
    }
    do {
      if (!is_empty(line) && !convert_one(line, number, write)) return false;
      number++;
    } while (lines.next(line));
    return true;
  }

 private:
  bool is_whole(std::string_view line) { return parser_.parse(line).has_value(); }

  template <class Write>
  bool convert_one(std::string_view text, std::size_t line, Write&& write) {
    const Result<std::string_view> converted = converter_.convert(text);
    if (!converted) {
      report(place(name_, line), converted.error());
      return false;
    }
    write(*converted);
    return true;
  }

  Converter& converter_;
  std::string name_;
  json::Parser parser_;
};

/// Lines for standard output; none waits there while the input has nothing more to read.
class Output {
 public:
  explicit Output(std::istream& in) : in_(*in.rdbuf()) {}

  void write(std::string_view line) {
    text_.append(line) += '\n';
    if (text_.size() >= piece || in_.in_avail() <= 0) flush();
  }
  void flush() {
    std::cout.write(text_.data(), static_cast<std::streamsize>(text_.size())).flush();
    text_.clear();
  }

 private:
  std::streambuf& in_;
  std::string text_;
};

/// What became of the files of a folder.
struct Outcome {
  std::size_t converted = 0;
  std::size_t unchanged = 0;
  std::size_t refused = 0;
  bool failed = false;
};

void report_unusable(const fs::path& path, std::string_view why) {
  std::cerr << "tenon convert: " << harmless(path.string()) << ": " << why << "\n";
}

void convert_file(Converter& converter, const fs::path& path, Outcome& outcome) {
  std::ifstream in(path, std::ios::binary);
  Rewriting rewriting(path);
  const bool good = in.is_open() && Documents(converter, path.string()).convert(in, [&](auto line) {
    rewriting.write(line);
  });
  if (in.bad() || !in.is_open()) {
    report_unusable(path, "cannot be read");
    outcome.failed = true;
    return;
  }
  if (!good) {
    outcome.refused++;
    return;
  }
  const auto done = rewriting.commit();
  if (!done) {
    outcome.unchanged++;
  } else if (!done->failed) {
    outcome.converted++;
    if (done->other_names != 0) {
      report_unusable(path, counted(done->other_names, "other name") +
                                " of it (hard links) kept the old content");
    }
  } else {
    report_unusable(path, "cannot be written: " + done->failed.message());
    outcome.failed = true;
  }
}

/// The files of documents below a folder. One folder that cannot be read keeps nobody from the
/// others.
void add_files(const fs::path& folder, std::vector<fs::path>& files, Outcome& outcome) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    const std::string extension = at->path().extension().string();
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
      add_files(at->path(), files, outcome);
    } else if ((extension == ".json" || extension == ".jsonl") && at->is_regular_file(ignored)) {
      files.push_back(at->path());
    }
  }
  if (!failed) return;
  report_unusable(folder, failed.message());
  outcome.failed = true;
}

Exit convert_in_place(Converter& converter, const fs::path& what) {
  Outcome outcome;
  std::vector<fs::path> files;
  std::error_code ignored;
  if (fs::is_regular_file(what, ignored)) {
    files.push_back(what);
  } else {
    add_files(what, files, outcome);
    std::sort(files.begin(), files.end());
  }
  for (const fs::path& file : files) convert_file(converter, file, outcome);
  std::cerr << counted(outcome.converted, "file") << " converted, " << outcome.unchanged
            << " unchanged, " << outcome.refused << " refused\n";
  if (outcome.failed || converter.has_failed()) return environment_failed;
  return outcome.refused == 0 ? yes : finding;
}

}  // namespace

Exit convert(const Options& options, const Conversions& how) {
  Converter converter(options, how);
  if (how.in_place) return convert_in_place(converter, how.file);
  std::ios::sync_with_stdio(false);
  std::vector<char> memory(piece);
  std::ifstream file;
  file.rdbuf()->pubsetbuf(memory.data(), static_cast<std::streamsize>(memory.size()));
  const bool standard = how.file.empty() || how.file == "-";
  if (!standard) {
    file.open(how.file, std::ios::binary);
    if (!file || fs::is_directory(how.file)) {
      std::cerr << "tenon convert: " << harmless(how.file) << ": cannot be read\n";
      return environment_failed;
    }
  }
  std::istream& in = standard ? std::cin : file;
  Output output(in);
  Documents documents(converter, standard ? "standard input" : how.file);
  const bool good = documents.convert(in, [&output](std::string_view line) { output.write(line); });
  output.flush();
  if (in.bad()) {
    report_unusable(standard ? "standard input" : how.file, "cannot be read");
    return environment_failed;
  }
  if (converter.has_failed()) return environment_failed;
  return good ? yes : finding;
}

}  // namespace tenon::command
