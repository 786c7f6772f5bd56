// SPDX-License-Identifier: BSL-1.0
//
// Scanning of JSON files for resources, and the errors of invalid documents.
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "backup/archive_path.hpp"
#include "backup/document_scanner.hpp"
#include "backup/documents.hpp"
#include "framework/world.hpp"
#include "unit/peak_memory.hpp"

namespace backup { namespace {

using tenon::tests::World;
using Texts = std::vector<std::string>;

const std::string pod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"w"}})";
const std::string node = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})";

class Documents : public testing::Test {
 protected:
  /// Returns "pods" for Pod, and an empty text for the kind Unknown.
  static std::string resource_of(std::string_view api_version, std::string_view kind) {
    if (kind == "Unknown") return "";
    std::string resource(kind);
    for (char& c : resource) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto slash = api_version.find('/');
    if (slash == std::string_view::npos) return resource + 's';
    return resource + "s." + std::string(api_version.substr(0, slash));
  }

  tenon::Result<Items> read_from(const std::filesystem::path& from) {
    problems_.clear();
    return read_documents(from, resource_of, problems_, [&](const boost::json::object& document) {
      definitions_.emplace_back(document.at("metadata").at("name").as_string());
    });
  }
  Items read(std::string_view content) {
    return read_from(world_.write("in.json", content)).value();
  }
  static Texts ids(const Items& items) {
    Texts all;
    for (std::size_t i = 0; i < items.size(); ++i) all.push_back(id_text(items.id(i)));
    return all;
  }
  /// Returns the problems of a content, without the path of the world.
  Texts problems(std::string_view content) {
    read(content);
    return problem_texts();
  }
  Texts problem_texts() const {
    Texts all;
    for (const tenon::Error& problem : problems_) {
      std::string text = problem.to_string();
      const std::string root = world_.root().string() + '/';
      for (std::size_t at; (at = text.find(root)) != std::string::npos;)
        text.erase(at, root.size());
      all.push_back(std::move(text));
    }
    return all;
  }

  World world_;
  std::vector<tenon::Error> problems_;
  Texts definitions_;
};

// -- Valid documents ----------------------------------------------------------

TEST_F(Documents, AreReadFromOneFile) {
  const Items one = read("\xef\xbb\xbf " + pod + "\n");
  EXPECT_EQ(ids(one), Texts{"pods w/p"});
  EXPECT_EQ(one.read(0).value(), pod);
  EXPECT_EQ(ids(read(pod + node)), (Texts{"nodes n", "pods w/p"}));
  EXPECT_EQ(ids(read(pod + "\n" + node + "\n")), (Texts{"nodes n", "pods w/p"}));
  EXPECT_EQ(ids(read("")), Texts{});
  EXPECT_EQ(problem_texts(), Texts{});
}

TEST_F(Documents, AloneInAFileKeepTheirPosition) {
  const Items one = read("\n\t " + pod + "\n\n");
  EXPECT_EQ(one.read(0).value(), pod);
  read("\r\n  " + std::string(R"({"apiVersion":"v1","kind":"Unknown","metadata":{"name":"n"}})"));
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_TRUE(problems_[0].where().ends_with("in.json:2:3")) << problems_[0].where();
}

TEST_F(Documents, AreReadFromLists) {
  for (const std::string& list :
       {R"({"apiVersion":"v1","kind":"List","items":[)" + pod + ", " + node + R"(],"metadata":{}})",
        R"({ "apiVersion" : "v1", "items" : [ )" + pod + "\n,\n" + node +
            R"( ] , "kind":"List"})"}) {
    const Items items = read(list);
    ASSERT_EQ(ids(items), (Texts{"nodes n", "pods w/p"})) << list;
    EXPECT_EQ(items.read(0).value(), node);
    EXPECT_EQ(items.read(1).value(), pod);
  }
  EXPECT_EQ(ids(read(R"({"kind":"List","items":[]})")), Texts{});
  EXPECT_EQ(problem_texts(), Texts{});
}

TEST_F(Documents, InheritTheKindOfATypedList) {
  for (const std::string list :
       {R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})",
        R"({"items":[{"metadata":{"name":"a"}}],"kind":"PodList","apiVersion":"v1"})"}) {
    const Items items = read(list);
    ASSERT_EQ(ids(items), Texts{"pods a"}) << list;
    EXPECT_EQ(items.read(0).value(), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
  }
  const Items half = read(
      R"({"kind":"RoleList","apiVersion":"rbac/v1","items":[{"kind":"Role","metadata":{"name":"a"}}]})");
  EXPECT_EQ(half.read(0).value(),
            R"({"apiVersion":"rbac/v1","kind":"Role","metadata":{"name":"a"}})");
}

TEST_F(Documents, AreReadFromListsInLists) {
  const std::string typed = R"({"kind":"PodList","apiVersion":"v1","items":[)"
                            R"({"metadata":{"name":"a","namespace":"w"}},)"
                            "\n"
                            R"({"metadata":{"name":"b","namespace":"w"}}]})";
  const std::string inner = R"({"apiVersion":"v1","items":[)" + pod + ",\n  " + typed +
                            R"(],"kind":"List","metadata":{}})";
  const Items items = read(R"({"kind":"List","items":[)" + inner + "," + node +
                           R"(, {"kind":"List","items":[]}, {"kind":"PodList","items":null}]})");
  EXPECT_EQ(ids(items), (Texts{"nodes n", "pods w/a", "pods w/b", "pods w/p"}));
  EXPECT_EQ(items.read(1).value(),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"w"}})");
  ASSERT_EQ(problems_.size(), 1u);  // of the object that is no list
}

TEST_F(Documents, InListsInListsAreReportedWithTheirPosition) {
  const std::string told =
      ": the document is not a Kubernetes resource\n"
      "   found   no metadata\n"
      "   needed  an object \"metadata\" with a name\n"
      "   fix     correct or remove the document";
  EXPECT_EQ(problems("{\"kind\":\"List\",\"items\":[\n  {\"kind\":\"List\",\"items\":[{\"a\":1},\n "
                     "{\"b\":1}]}]}"),
            (Texts{"error[not-a-resource] in.json:2:27" + told,
                   "error[not-a-resource] in.json:3:2" + told}));
}

TEST_F(Documents, OfOtherKindsKeepTheirItems) {
  const std::string other =
      R"({"apiVersion":"v1","items":[1,{"metadata":{"name":"x"}}],"kind":"Box","metadata":{"name":"b"}})";
  const Items items = read(other);
  EXPECT_EQ(ids(items), Texts{"boxs b"});
  EXPECT_EQ(items.read(0).value(), other);
  EXPECT_EQ(problem_texts(), Texts{});
}

TEST_F(Documents, AreResolvedAfterDefinitions) {
  world_.write("d/a.json", R"({"apiVersion":"x/v1","kind":"Thing","metadata":{"name":"t"}})");
  world_.write(
      "d/b.json",
      R"({"items":[{"apiVersion":"apiextensions.k8s.io/v1",)"
      R"("kind":"CustomResourceDefinition","metadata":{"name":"things.x"}}],"kind":"List"})");
  std::vector<tenon::Error> problems;
  std::string order;
  const auto items = read_documents(
      world_.root() / "d",
      [&](std::string_view, std::string_view kind) {
        order += "[" + std::string(kind) + "]";
        return "r";
      },
      problems, [&](const boost::json::object&) { order += "definition"; });
  EXPECT_EQ(items.value().size(), 2u);
  EXPECT_EQ(order, "definition[Thing][CustomResourceDefinition]");
}

TEST_F(Documents, AreNotReadAfterACancellation) {
  world_.write("d/a.json", std::string(1'000'000, ' ') + pod);
  world_.write("d/b.json", node);
  for (const char* from : {"d", "d/a.json"}) {
    std::vector<tenon::Error> problems;
    int asked = 0;
    const auto items = read_documents(world_.root() / from, resource_of, problems, {},
                                      [&] { return ++asked == 2; });
    ASSERT_FALSE(items);
    EXPECT_EQ(items.error().code(), "cancelled");
    EXPECT_EQ(asked, 2);
    EXPECT_TRUE(problems.empty());
  }
}

TEST_F(Documents, AreReadFromDirectoriesRecursively) {
  world_.write("d/b/x.json", pod);
  world_.write("d/a.json", node);
  world_.write("d/a.txt", "no");
  world_.write("elsewhere.json", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"q"}})");
  std::filesystem::create_symlink(world_.root() / "elsewhere.json", world_.root() / "d/link.json");
  std::filesystem::create_directory_symlink(world_.root() / "d", world_.root() / "d/loop.json");
  const Items items = read_from(world_.root() / "d").value();
  EXPECT_EQ(ids(items), (Texts{"nodes n", "pods q", "pods w/p"}));
  EXPECT_EQ(problem_texts(), Texts{});
}

TEST_F(Documents, AreNotReadFromYaml) {
  world_.write("d/a.json", node);
  world_.write("d/b/x.yml", "kind: Pod");
  EXPECT_EQ(ids(read_from(world_.root() / "d").value()), Texts{"nodes n"});
  const std::string fix =
      "\n   needed  JSON files\n   fix     convert them with `kubectl create --dry-run=client -o "
      "json -f FILE`, or remove them";
  const std::string one = "YAML files are not read\n   found   a YAML file";
  EXPECT_EQ(problem_texts(), Texts{"error[not-json] d/b/x.yml: " + one + fix});
  world_.write("d/b/a.yaml", "kind: Pod");
  read_from(world_.root() / "d").value();
  EXPECT_EQ(problem_texts(), Texts{"error[not-json] d/b/a.yaml: " + one + ", and 1 more" + fix});
}

TEST_F(Documents, MayBeRepeatedUnchanged) {
  const std::string same = R"({ "kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})";
  EXPECT_EQ(ids(read(node + same + node)), Texts{"nodes n"});
  EXPECT_EQ(problem_texts(), Texts{});
}

TEST_F(Documents, AreFoundById) {
  const Items items = read(pod + node);
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(items.find(items.id(i)), i);
  tenon::ResourceIdV1 id = items.id(1);
  id.name = "o";
  EXPECT_FALSE(items.find(id));
  id = items.id(1);
  id.in_namespace.clear();
  EXPECT_FALSE(items.find(id));
}

TEST_F(Documents, MayBeLargerThanTheReadBuffer) {
  const std::string large =
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":")" +
      std::string(400'000, 'x') + "\"}";
  const Items items = read(node + large + "\n" + pod);
  EXPECT_EQ(ids(items), (Texts{"nodes n", "pods w/p", "secrets s"}));
  EXPECT_EQ(problem_texts(), Texts{});
  EXPECT_EQ(items.read(2).value(), large);
}

TEST_F(Documents, AreRefusedIfTheFileHasChanged) {
  const Items items = read(pod);
  std::string other = pod;
  other[other.find("Pod")] = 'G';  // keeps the size
  world_.write("in.json", other);
  EXPECT_EQ(items.read(0).error().code(), "file-changed");
}

TEST_F(Documents, AreStreamedFromLargeLists) {
  const auto path = world_.path("large.json");
  std::ofstream file(path);
  const std::string filler(10'000, 'x');
  for (int i = 0; i < 10'000; ++i) {
    file << (i == 0 ? R"({"apiVersion":"v1","items":[)" : ",\n")
         << R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" << i << R"("},"data":")"
         << filler << R"("})";
  }
  file << R"(],"kind":"List"})" << std::flush;
  const PeakMemory memory;
  EXPECT_EQ(read_from(path).value().size(), 10'000u);
  EXPECT_EQ(problem_texts(), Texts{});
  EXPECT_LT(memory.growth(), 20'000'000u);
}

// -- Invalid documents --------------------------------------------------------

TEST_F(Documents, AreReadBesideInvalidElements) {
  const Items items =
      read("{\"kind\":\"List\",\"items\":[\n  " + pod + ",\n  {\"a\": tru},\n  3, " + node + "]}");
  EXPECT_EQ(ids(items), (Texts{"nodes n", "pods w/p"}));
  EXPECT_EQ(problem_texts(),
            (Texts{"error[not-json] in.json:3:12: the document is not JSON\n"
                   "   found   syntax error\n"
                   "   needed  JSON without comments and without a comma before } or ]\n"
                   "   fix     correct the text at this position or just before it",
                   "error[not-a-resource] in.json:4:3: the document is not a Kubernetes resource\n"
                   "   found   another value\n"
                   "   needed  an object\n"
                   "   fix     correct or remove the document"}));
}

struct Wrong {
  std::string document;
  std::string where;
  std::string code;
  std::string found;
};

TEST_F(Documents, ReportEachErrorWithItsPosition) {
  const std::string deep(deepest_document + 1, '[');
  const std::string closed(deepest_document + 1, ']');
  const std::vector<Wrong> wrongs = {
      {"[]", "1:1", "not-json", "this is not the beginning of an object"},
      {"\xef", "1:1", "not-json", "only the first bytes of a byte order mark"},
      {"\xef\xbb", "1:1", "not-json", "only the first bytes of a byte order mark"},
      {"\xef\xbb {}", "1:1", "not-json", "only the first bytes of a byte order mark"},
      {" \xbb\xbf", "1:2", "not-json", "this is not the beginning of an object"},
      {"\n  x", "2:3", "not-json", "this is not the beginning of an object"},
      {"{", "2:1", "not-json", "this is not the beginning of a key"},
      {"{\"a\":1", "2:1", "not-json", "neither a comma nor } follows a member"},
      {"{a:1}", "1:2", "not-json", "this is not the beginning of a key"},
      {"{\"a\" 1}", "1:6", "not-json", "no colon follows a key"},
      {"{\"a\":1 2}", "1:8", "not-json", "neither a comma nor } follows a member"},
      {"{\"a\":[}", "1:7", "not-json", "a text or a bracket does not end"},
      {"{\"a\":\"\n\"}", "1:7", "not-json", "a text or a bracket does not end"},
      {"{\"a\":1,}", "1:8", "not-json", "this is not the beginning of a key"},
      {"{\"kind\":\"x\",\"items\":[1 2]}", "1:24", "not-json",
       "neither a comma nor ] follows an element"},
      {"{\"\xc3\xa4\":nul}", "1:9", "not-json", "syntax error"},
      {"{\"\xff\":1}", "1:3", "not-json", "syntax error"},
      {"{\"a\":" + deep + closed + "}", "1:261", "not-json", "too deep"},
      {"{}", "1:1", "not-a-resource", "no metadata"},
      {"{\"metadata\":3}", "1:1", "not-a-resource", "no metadata"},
      {"{\"metadata\":{}}", "1:1", "not-a-resource", "no metadata.name"},
      {"{\"metadata\":{\"name\":1}}", "1:1", "not-a-resource", "metadata.name is not a text"},
      {"{\"metadata\":{\"name\":\"a\"}}", "1:1", "not-a-resource", "no kind"},
      {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}", "1:1", "not-a-resource",
       "no apiVersion"},
      {"{\"kind\":[],\"metadata\":{\"name\":\"a\"}}", "1:1", "not-a-resource",
       "kind is not a text"},
      {"{\"kind\":\"List\",\"items\":[{\"metadata\":{\"name\":\"a\"}}]}", "1:25", "not-a-resource",
       "no kind"},
      {"{\"kind\":\"Unknown\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}", "1:1",
       "unknown-resource-kind", "v1 Unknown"},
      {"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a/b\"}}", "1:1", "bad-id",
       "the name cannot be part of a path: it contains '/'"},
      {"{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":\"..\"}"
       "}",
       "1:1", "bad-id", "the namespace cannot be part of a path: it names a directory"},
  };
  for (const Wrong& wrong : wrongs) {
    // The document on the next line must be read in any case.
    const Items items = read(wrong.document + "\n" + node);
    EXPECT_EQ(ids(items), Texts{"nodes n"}) << wrong.document;
    const auto problems = problem_texts();
    ASSERT_FALSE(problems.empty()) << wrong.document;
    const std::string needed = "error[" + wrong.code + "] in.json:" + wrong.where + ": ";
    EXPECT_TRUE(problems[0].starts_with(needed)) << wrong.document << "\n" << problems[0];
    EXPECT_NE(problems[0].find("found   " + wrong.found + "\n"), std::string::npos) << problems[0];
    EXPECT_NE(problems[0].find("\n   fix     "), std::string::npos) << problems[0];
  }
  EXPECT_EQ(problems("\xef\xbb").size(), 1U) << "the file ends inside the mark";
}

TEST_F(Documents, BeforeATruncationAreRead) {
  const Items items = read(R"({"apiVersion":"v1","items":[)" + pod + "," + node + ",{\"kind\"");
  EXPECT_EQ(ids(items), (Texts{"nodes n", "pods w/p"}));
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0].found(), "the file ends inside a document");
}

TEST_F(Documents, OfTheSameResourceMustBeEqual) {
  const Items items =
      read(node + "\n" + R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":1})");
  EXPECT_EQ(items.read(0).value(), node);
  EXPECT_EQ(problem_texts(),
            Texts{"error[duplicate-resource] in.json:2:1: two documents of one resource differ\n"
                  "   found   nodes n, as at in.json:1:1\n"
                  "   needed  each resource once\n"
                  "   fix     remove one of the documents"});
}

TEST_F(Documents, ReportOversizedDocuments) {
  const std::string large(largest_document, 'x');
  EXPECT_EQ(ids(read("{\"kind\":\"List\",\"items\":[{\"a\":\"" + large + "\"}," + node + "]}")),
            Texts{"nodes n"});
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0].code(), "document-too-large");
  EXPECT_EQ(problems_[0].found(), std::to_string(largest_document + 8) + " bytes");
  EXPECT_EQ(ids(read("{\"a\":\"" + large + "\"}" + node)), Texts{"nodes n"});
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0].code(), "document-too-large");
}

TEST_F(Documents, ReportMissingInput) {
  const auto none = read_from(world_.root() / "none");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), "cannot-read");
  EXPECT_EQ(none.error().found(), "reading it: No such file or directory");
  std::filesystem::create_symlink("nowhere", world_.path("d/a.json"));
  EXPECT_EQ(read_from(world_.root() / "d").value().size(), 0u);
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_EQ(problems_[0].code(), "cannot-read");
}

TEST_F(Documents, RefuseInputThatIsNotAFile) {
  const auto device = read_from("/dev/zero");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code(), "cannot-read");
  EXPECT_EQ(device.error().where(), "/dev/zero");
  EXPECT_EQ(device.error().found(), "not a regular file");
}

// -- Piecewise input ----------------------------------------------------------

class Trace : public ScanHandler {
 public:
  void on_element(const Extent& extent, std::string_view text, const Envelope&) override {
    note("element", extent) += text;
  }
  void on_object(const Extent& extent, const Envelope& envelope) override {
    note("object", extent) += envelope.api_version + ',' + envelope.kind;
  }
  void on_broken(const Position& where, std::string_view found, const Envelope&) override {
    note("broken", {where, 0}) += found;
  }
  const Texts& texts() const { return texts_; }

 private:
  std::string& note(std::string_view what, const Extent& extent) {
    const Position& at = extent.begin;
    return texts_.emplace_back(std::string(what) + ' ' + std::to_string(at.offset) + '+' +
                               std::to_string(extent.size) + ' ' + std::to_string(at.line) + ':' +
                               std::to_string(at.column) + ' ');
  }
  Texts texts_;
};

Texts scan(std::string_view content, std::size_t piece) {
  Trace trace;
  DocumentScanner scanner(trace, 64);
  for (; !content.empty(); content.remove_prefix(std::min(piece, content.size()))) {
    scanner.feed(content.substr(0, piece));
  }
  scanner.finish();
  return trace.texts();
}

TEST(DocumentScanner, IsIndependentOfThePieceSize) {
  const std::string content =
      "\xef\xbb\xbf{\"\\u0069tems\":[{\"\\\"]\": \"}\\\\\"},\n -1e3 ,\"\xc3\xa4\",[{}]],\n"
      "\"kind\":\"L\\u0069st\", \"x\":[{\"items\":[1]}],\"apiVersion\" :\"v1\"}\n{?\n{}";
  const Texts whole = scan(content, content.size());
  EXPECT_EQ(
      whole,
      (Texts{"element 18+14 1:16 {\"\\\"]\": \"}\\\\\"}", "element 35+4 2:2 -1e3",
             "element 41+4 2:8 \"\xc3\xa4\"", "element 46+4 2:12 [{}]", "object 3+109 1:1 v1,List",
             "broken 114+0 4:2 this is not the beginning of a key", "object 116+2 5:1 ,"}));
  for (const std::size_t piece : {1, 2, 3, 7}) EXPECT_EQ(scan(content, piece), whole);
}

}}  // namespace backup
