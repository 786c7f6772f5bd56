// SPDX-License-Identifier: BSL-1.0
//
// Faulty, truncated and damaged modules. Each must have its error code, from a file and from
// memory. FAULTS is the directory of tests/faults.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "binary/bundle.hpp"
#include "binary/elf_format.hpp"
#include "framework/world.hpp"
#include "manifest/module_file.hpp"
#include "unit/faults.hpp"

namespace tenon::detail { namespace {

namespace fs = std::filesystem;
using tests::bytes_of;
using tests::fault;
using Bytes = tests::Bytes;

Bytes bytes_of_text(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Runs all steps of a host before it loads the file.
void prepare(const Bytes& bytes) {
  auto bundle = read_bundle(bytes, "/plugins/x.so");
  const auto image = read_module_image(bytes, "/plugins/x.so");
  const auto whole = read_whole_module(bytes, "/plugins/x.so", {});
  EXPECT_EQ(whole.has_value(), image && bundle);
  if (!whole) {
    EXPECT_EQ(whole.error().to_string(), (image ? bundle.error() : image.error()).to_string());
  }
  if (!bundle) return;
  reload_of(*bundle, {.joins_threads = true});
  const auto names = make_private(*bundle, 1);
  if (names) {
    EXPECT_EQ(names->size(), bundle->size());
  }
}

// Returns "ok" or the code of the error, and checks that the error is complete.
std::string code_of(const Bytes& bytes) {
  prepare(bytes);
  const auto read = read_module_image(bytes, "/plugins/x.so");
  if (read) return "ok";
  EXPECT_EQ(read.error().where(), "/plugins/x.so");
  EXPECT_FALSE(read.error().found().empty());
  EXPECT_FALSE(read.error().needed().empty());
  EXPECT_FALSE(read.error().fix().empty());
  return std::string(read.error().code());
}

// Returns the same for a variant in FAULTS. Reading the file must have the same result as memory.
std::string code_of(const std::string& name) {
  const auto from_file = read_module_file(fault(name));
  const auto from_memory = read_module_image(bytes_of(fault(name)), fault(name));
  EXPECT_EQ(from_file.has_value(), from_memory.has_value());
  if (from_file) return "ok";
  EXPECT_EQ(from_file.error().to_string(), from_memory.error().to_string());
  EXPECT_EQ(from_file.error().where(), fault(name).string());
  return std::string(from_file.error().code());
}

template <class T>
T& at(Bytes& bytes, std::uint64_t offset) {
  EXPECT_LE(offset + sizeof(T), bytes.size());
  return *reinterpret_cast<T*>(bytes.data() + offset);
}

elf::Header& header_of(Bytes& bytes) {
  return at<elf::Header>(bytes, 0);
}

elf::Segment& segment_of(Bytes& bytes, std::uint32_t type) {
  const auto& header = header_of(bytes);
  for (std::uint64_t i = 0; i < header.segment_count; ++i) {
    auto& segment = at<elf::Segment>(bytes, header.segments_offset + i * sizeof(elf::Segment));
    if (segment.type == type) return segment;
  }
  throw std::logic_error("no such segment");
}

TEST(ModuleFile, ReadsAGoodModule) {
  const auto read = read_module_file(fault("good"));
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->image.manifest->name, "test.example/faults");
  EXPECT_EQ(read->image.manifest->version.to_string(), "1.0.0");
  EXPECT_TRUE(read->image.manifest->unload.joins_threads);
  ASSERT_EQ(read->image.manifest->provides.size(), 1U);
  EXPECT_EQ(read->image.manifest->provides[0].kind, "test.example/echo");
  EXPECT_EQ(read->image.prologue.struct_size, sizeof(tenon_module));
  EXPECT_EQ(read->identity, platform::identity_of(fault("good")).value());
  EXPECT_EQ(read->identity.size, fs::file_size(fault("good")));
}

TEST(ModuleFile, IsReadWithItsBundle) {
  const fs::path file = fault("good");
  const Manifest manifest = *read_module_file(file).value().image.manifest;
  const auto first = read_whole_module(bytes_of(file), file, {}).value();
  ASSERT_TRUE(first.manifest);
  EXPECT_TRUE(same_manifest(*first.manifest, manifest));
  EXPECT_EQ(first.manifest->text, manifest.text);
  EXPECT_EQ(first.bundle.at(0).content, bytes_of(file));
  EXPECT_EQ(first.bundle[0].path, file);

  EXPECT_FALSE(read_whole_module(bytes_of(file), file, manifest).value().manifest)
      << "it says the same";
  EXPECT_TRUE(
      read_whole_module(bytes_of(fault("good-edition-2")), file, manifest).value().manifest);
}

TEST(ModuleFile, ReadsTheOutputOfEachLinker) {
  for (const std::string name :
       {"good-by-hand", "good-edition-2", "good-sysv-hash", "good-pages-rounded-up",
        "good-one-segment", "good-long-run-path"}) {
    EXPECT_EQ(code_of(name), "ok") << name;
  }
}

TEST(ModuleFile, NeedsNoSectionHeaders) {
  auto bytes = bytes_of(fault("good"));
  header_of(bytes).sections_offset = 0;
  header_of(bytes).section_count = 0;
  EXPECT_EQ(code_of(bytes), "ok");
}

TEST(ModuleFile, NamesEachFault) {
  EXPECT_EQ(code_of("no-manifest"), "manifest-removed");
  EXPECT_EQ(code_of("some-library"), "no-manifest");
  EXPECT_EQ(code_of("broken-manifest"), "broken-manifest");
  EXPECT_EQ(code_of("two-manifests"), "two-manifests");
  EXPECT_EQ(code_of("no-module-object"), "no-module-object");
  EXPECT_EQ(code_of("wrong-magic"), "wrong-magic");
  EXPECT_EQ(code_of("size-too-small"), "size-too-small");
  EXPECT_EQ(code_of("size-cut"), "size-too-small");
  EXPECT_EQ(code_of("size-too-large"), "size-too-large");
  EXPECT_EQ(code_of("size-past-image"), "size-too-large");
  EXPECT_EQ(code_of("abi-too-new"), "abi-too-new");
  EXPECT_EQ(code_of("manifest-too-new"), "abi-too-new");
  EXPECT_EQ(code_of("abi-unknown"), "abi-unknown");
  EXPECT_EQ(code_of("differs-manifest-size"), "manifest-differs");
}

TEST(ModuleFile, AcceptsFaultsThatOnlyLoadingShows) {
  for (const std::string name :
       {"differs-name", "differs-kind", "differs-version", "differs-fingerprint", "differs-count",
        "kind-too-new", "unknown-kind", "kind-differs", "missing-method", "slot-interposed",
        "start-failed", "undefined-symbol", "stride-too-small", "table-too-small"}) {
    EXPECT_EQ(code_of(name), "ok") << name;
  }
}

TEST(ModuleFile, NamesTheFormatOfOtherFiles) {
  const auto found = [](std::string_view text) {
    const auto read = read_module_image(bytes_of_text(text), "x");
    EXPECT_EQ(read.error().code(), "not-a-module");
    return std::string(read.error().found());
  };
  EXPECT_EQ(found("#!/bin/sh\nexit\n"), "a script");
  EXPECT_EQ(found("\xcf\xfa\xed\xfe"), "a module or program for macOS");
  EXPECT_EQ(found("\xce\xfa\xed\xfe"), "a module or program for macOS");
  EXPECT_EQ(found("\xca\xfe\xba\xbe"), "a module or program for macOS, or a Java class");
  EXPECT_EQ(found({"\0asm", 4}), "a WebAssembly module");
  EXPECT_EQ(found("PK\x03\x04"), "a zip archive");
  EXPECT_EQ(found("\x1f\x8b"), "a gzip archive");
  EXPECT_EQ(found("\xfd"
                  "7zXZ"),
            "an xz archive");
  EXPECT_EQ(found("!<arch>\nlib.o/"), "a static library");
  EXPECT_EQ(found("/* GNU ld script */\nINPUT(x)"),
            "a text file that starts with \"/* GNU ld script */\"");
  EXPECT_EQ(found("one\r\n\ttwo\fthree"), "a text file that starts with \"one\\x0d\"");
  EXPECT_EQ(found("123456789012345678901234567"),
            "a text file that starts with \"123456789012345678901234\"");
  EXPECT_EQ(found("del\x7f"), "an unknown format that starts with \"del\\x7f\"");
  EXPECT_EQ(found("\x01\x02\x1b[2J"), "an unknown format that starts with \"\\x01\\x02\\x1b[2J\"");
}

TEST(ModuleFile, RefusesFilesForOtherMachines) {
  const auto good = bytes_of(fault("good"));
  auto bytes = good;
  header_of(bytes).identification.word_size = elf::class_32;
  EXPECT_EQ(code_of(bytes), "wrong-architecture");

  bytes = good;
  header_of(bytes).identification.machine = 22;
  EXPECT_EQ(code_of(bytes), "wrong-architecture");

  bytes = good;
  auto& id = header_of(bytes).identification;
  id.byte_order = elf::little_endian + elf::big_endian - id.byte_order;
  EXPECT_EQ(code_of(bytes), "wrong-architecture");

  bytes = good;
  header_of(bytes).identification.system = 9;
  EXPECT_EQ(code_of(bytes), "wrong-architecture");
}

// The dynamic loader would ignore these relocations, and crash.
TEST(ModuleFile, RefusesRelocationsOfAndroid) {
  auto bytes = bytes_of(fault("good"));
  const auto entries = segment_of(bytes, elf::segment_dynamic).offset;
  at<elf::DynamicEntry>(bytes, entries).tag = elf::dynamic_android_end - 1;
  EXPECT_EQ(code_of(bytes), "wrong-architecture");
}

TEST(Bundle, RefusesPackedRelocationsThatTheDynamicLoaderRefuses) {
  const auto bundle = read_bundle(bytes_of(fault("packed-relocations")), "x");
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code(), "wrong-architecture");
  EXPECT_NE(bundle.error().found().find("GLIBC_ABI_DT_RELR"), std::string::npos);
}

TEST(ModuleFile, RefusesElfFilesOtherThanLibraries) {
  auto bytes = bytes_of(fault("good"));
  for (const auto type : {elf::type_object, elf::type_program, elf::type_core}) {
    header_of(bytes).identification.type = type;
    EXPECT_EQ(code_of(bytes), "not-a-module");
  }
  EXPECT_EQ(read_module_file("/proc/self/exe").error().code(), "not-a-module");
}

TEST(ModuleFile, RefusesDirectoriesAndMissingFiles) {
  const tests::World world;
  EXPECT_EQ(read_module_file(world.root()).error().code(), "not-a-module");
  EXPECT_EQ(read_module_file(world.root() / "none.so").error().code(), "not-found");
  EXPECT_EQ(read_module_file("/dev/zero").error().code(), "not-a-module");
  fs::create_symlink("nowhere", world.path("link.so"));
  EXPECT_EQ(read_module_file(world.path("link.so")).error().code(), "not-a-module");
  EXPECT_EQ(read_module_file(world.write("empty.so", "")).error().code(), "empty-file");
}

TEST(ModuleFile, RefusesInvalidSegments) {
  const auto good = bytes_of(fault("good"));
  const auto damaged = [&good](std::uint32_t type, auto damage) {
    auto bytes = good;
    damage(segment_of(bytes, type));
    return code_of(bytes);
  };
  using S = elf::Segment;
  constexpr auto huge = ~std::uint64_t{0};
  EXPECT_EQ(damaged(elf::segment_load, [](S& s) { s.file_size = huge; }), "truncated-file");
  EXPECT_EQ(damaged(elf::segment_load, [](S& s) { s.offset = huge; }), "truncated-file");
  EXPECT_EQ(damaged(elf::segment_load, [](S& s) { s.memory_size = huge; }), "broken-file");
  EXPECT_EQ(damaged(elf::segment_load, [](S& s) { s.memory_size = 0; }), "broken-file");
  EXPECT_EQ(damaged(elf::segment_load, [](S& s) { s.address = huge; }), "broken-file");
  EXPECT_EQ(damaged(elf::segment_load, [](S& s) { s.memory_size += 0x10000; }), "broken-file");
  EXPECT_EQ(damaged(elf::segment_dynamic, [](S& s) { s.file_size = 16; }), "broken-file");
  EXPECT_EQ(damaged(elf::segment_dynamic, [](S& s) { s.file_size = 0; }), "not-a-module");
  EXPECT_EQ(damaged(elf::segment_dynamic, [](S& s) { s.offset = huge - 8; }), "truncated-file");
}

TEST(ModuleFile, IsMappedInPagesOfTheSystem) {
  const auto opened = [](const std::string& build, std::uint64_t page) {
    const std::vector<std::byte> bytes = bytes_of(fault(build));
    detail::MemorySource source(build, bytes);
    const auto elf = detail::ElfFile::open(source, detail::ElfFile::Accepts::libraries, page);
    return elf ? "ok" : std::string(elf.error().code()).append(": ").append(elf.error().found());
  };
  for (const std::uint64_t page : {0x1000, 0x4000, 0x10000}) {
    EXPECT_EQ(opened("good-pages-of-64k", page), "ok") << page;
    EXPECT_EQ(opened("good-pages-of-4k", page),
              page == 0x1000 ? "ok" : "broken-file: segments that overlap")
        << page;
  }
}

// The dynamic loader makes whole pages read-only, and does not check which.
TEST(ModuleFile, BoundsThePartThatBecomesReadOnly) {
  auto bytes = bytes_of(fault("good-pages-of-4k"));
  auto& relro = segment_of(bytes, elf::segment_relro);
  const auto& header = header_of(bytes);
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < header.segment_count; ++i) {
    const auto& segment =
        at<elf::Segment>(bytes, header.segments_offset + i * sizeof(elf::Segment));
    if (segment.type == elf::segment_load) end = segment.address + segment.memory_size;
  }
  const auto page = platform::page_size();
  const auto found_with = [&](std::uint64_t last) {
    relro.memory_size = last - relro.address;
    const auto read = read_module_image(bytes, "x");
    return read ? "ok" : std::string(read.error().found());
  };
  const auto image_end = (end + page - 1) / page * page;
  EXPECT_EQ(found_with(image_end), "ok");
  EXPECT_EQ(found_with(image_end + page - 1), "ok");
  EXPECT_EQ(found_with(image_end + page),
            "a part that becomes read-only past the end of its segment");
  EXPECT_EQ(found_with(relro.address - 1), found_with(image_end + page)) << "an overflow";
}

TEST(ModuleFile, RefusesInvalidNotes) {
  const auto good = bytes_of(fault("good"));
  const std::string_view text(reinterpret_cast<const char*>(good.data()), good.size());
  const auto note = text.find("{\"manifest\":1") - 20;
  const auto damaged = [&](auto damage) {
    auto bytes = good;
    damage(at<elf::NoteHeader>(bytes, note), bytes);
    return code_of(bytes);
  };
  using N = elf::NoteHeader;
  EXPECT_EQ(damaged([](N& n, Bytes&) { n.text_size = 0; }), "broken-manifest");
  EXPECT_EQ(damaged([](N& n, Bytes&) { n.text_size = 1; }), "broken-manifest");
  EXPECT_EQ(damaged([](N& n, Bytes&) { n.text_size -= 1; }), "broken-manifest");
  EXPECT_EQ(damaged([](N& n, Bytes&) { n.text_size = ~0U; }), "broken-manifest");
  EXPECT_EQ(damaged([](N& n, Bytes&) { n.text_size = 1 << 20; }), "broken-manifest");
  EXPECT_EQ(damaged([](N& n, Bytes&) { n.name_size = ~0U; }), "broken-file");
  EXPECT_EQ(damaged([](N& n, Bytes&) { n.type = 2; }), "manifest-removed");
  EXPECT_EQ(damaged([&](N&, Bytes& b) { at<char>(b, note + 12) = 'T'; }), "manifest-removed");
  EXPECT_EQ(damaged([&](N&, Bytes& b) { at<char>(b, note + 24) = '\0'; }), "broken-manifest");
}

// The note of the linker, which comes first, has a size that is no multiple of 8.
TEST(ModuleFile, ReadsNotesOfBothAlignmentsInOneSegment) {
  auto bytes = bytes_of(fault("good"));
  auto& notes = segment_of(bytes, elf::segment_note);
  ASSERT_EQ(notes.alignment, 4u);
  ASSERT_NE((12 + at<elf::NoteHeader>(bytes, notes.offset).name_size +
             at<elf::NoteHeader>(bytes, notes.offset).text_size) %
                8,
            0u);
  notes.alignment = 8;
  EXPECT_EQ(code_of(bytes), "ok");
  notes.address += 8;
  EXPECT_EQ(read_bundle(bytes, "x").error().found(), "notes that are mapped elsewhere");
}

// llvm-objcopy leaves them where a section was.
TEST(ModuleFile, SkipsZerosBetweenNotes) {
  auto bytes = bytes_of(fault("good"));
  const auto notes = segment_of(bytes, elf::segment_note);
  const auto first = at<elf::NoteHeader>(bytes, notes.offset);
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(notes.offset);
  std::fill_n(begin, 12 + first.name_size + first.text_size, std::byte{0});
  EXPECT_EQ(code_of(bytes), "ok");
  std::fill_n(begin, notes.file_size, std::byte{0});
  EXPECT_EQ(code_of(bytes), "manifest-removed");
}

TEST(ModuleFile, BoundsTheWorkForManyNotesAndSegments) {
  // A file of empty notes, with the most headers possible, which all point to the notes.
  auto bytes = bytes_of(fault("good"));
  const auto load = segment_of(bytes, elf::segment_load);
  const auto start = bytes.size();
  auto& header = header_of(bytes);
  header.segments_offset = start;
  header.segment_count = 65534;
  elf::Segment notes = load;
  notes.type = elf::segment_note;
  notes.file_size = start;
  bytes.resize(start + 65534 * sizeof notes);
  for (std::size_t i = 0; i < 65534; ++i) {
    std::memcpy(bytes.data() + start + i * sizeof notes, i == 0 ? &load : &notes, sizeof notes);
  }
  EXPECT_EQ(code_of(bytes), "broken-file");
}

TEST(ModuleFile, ReportsTruncationAtEveryLength) {
  const auto good = bytes_of(fault("good-pages-of-4k"));  // with little padding
  for (std::size_t size = 1; size < good.size(); ++size) {
    // A copy of exactly this size lets a sanitizer detect reads past the end.
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(code_of(cut), "truncated-file") << "cut off after " << size << " bytes";
  }
  EXPECT_EQ(code_of(Bytes()), "empty-file");
}

TEST(ModuleFile, ReportsTruncationOfFiles) {
  const tests::World world;
  const auto good = bytes_of(fault("good"));
  for (std::size_t size : {1, 19, 63, 64, 500, 4095, 4096, 4097, 8192}) {
    ASSERT_LT(size, good.size());
    const auto path =
        world.write("cut.so", std::string_view(reinterpret_cast<const char*>(good.data()), size));
    const auto read = read_module_file(path);
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code(), "truncated-file") << size;
  }
}

TEST(ModuleFile, SurvivesEveryDamagedByte) {
  auto bytes = bytes_of(fault("good-pages-of-4k"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto good = bytes[i];
    for (const auto damage : {0x01, 0x80, 0xff}) {
      bytes[i] = good ^ static_cast<std::byte>(damage);
      ASSERT_NE(code_of(bytes), "") << "byte " << i;
    }
    bytes[i] = good;
  }
}

TEST(ModuleFile, SurvivesRandomDamage) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const std::string name : {"good", "good-sysv-hash", "good-one-segment", "sibling-user",
                                 "unique-symbols", "exports-nothing"}) {
    const auto good = bytes_of(fault(name));
    const auto pick = [&random](std::size_t below) {
      return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    const int rounds = good.size() < 100'000 ? 3000 : 200;
    for (int round = 0; round < rounds; ++round) {
      auto bytes = good;
      for (auto count = 1 + pick(8); count > 0; --count) {
        bytes[pick(std::min<std::size_t>(good.size(), 8192))] = static_cast<std::byte>(pick(256));
      }
      ASSERT_NE(code_of(bytes), "");
    }
  }
}

Bundle bundle_of(const std::string& name) {
  return read_bundle(bytes_of(fault(name)), fault(name)).value();
}

// -- Refusals of the dynamic loader -------------------------------------------

TEST(Bundle, StatesWhatTheDynamicLoaderMayRefuse) {
  const auto good = bundle_of("good")[0];
  EXPECT_FALSE(good.demands.no_dlopen);
  EXPECT_FALSE(good.demands.executable_stack);
  EXPECT_EQ(good.demands.processor, 0u);
  EXPECT_TRUE(good.linkage.default_directories);
  EXPECT_TRUE(bundle_of("no-dlopen")[0].demands.no_dlopen);
  EXPECT_TRUE(bundle_of("executable-stack")[0].demands.executable_stack);
  EXPECT_FALSE(bundle_of("no-default-directories")[0].linkage.default_directories);
#ifdef __x86_64__
  EXPECT_EQ(bundle_of("needs-x86-64-v4")[0].demands.processor, 8u);
#endif
}

#ifdef __x86_64__
TEST(Bundle, StatesAnExecutableStackIfItSaysNothing) {
  auto bytes = bytes_of(fault("good"));
  segment_of(bytes, elf::segment_stack).type = 0;
  EXPECT_TRUE(read_bundle(bytes, "x").value()[0].demands.executable_stack);
}

// The dynamic loader ignores properties of other types and sizes, and does not check the size of
// their note.
TEST(Bundle, BoundsTheNoteWithTheProcessor) {
  const auto good = bytes_of(fault("needs-x86-64-v4"));
  const auto processor_with = [&good](auto change) {
    auto bytes = good;
    const auto note = segment_of(bytes, elf::segment_properties).offset;
    change(at<elf::NoteHeader>(bytes, note), at<elf::Property>(bytes, note + 16));
    const auto bundle = read_bundle(bytes, "x");
    return bundle ? std::to_string(bundle->at(0).demands.processor)
                  : std::string(bundle.error().found());
  };
  using N = elf::NoteHeader;
  using P = elf::Property;
  EXPECT_EQ(processor_with([](N&, P&) {}), "8");
  EXPECT_EQ(processor_with([](N&, P& p) { p.type += 1; }), "0");
  EXPECT_EQ(processor_with([](N&, P& p) { p.size = 8; }), "0");
  EXPECT_EQ(processor_with([](N&, P& p) { p.size = ~0U; }), "0");
  EXPECT_EQ(processor_with([](N& n, P&) { n.text_size = 12; }), "0");
  EXPECT_EQ(processor_with([](N& n, P&) { n.text_size = ~0U - 7; }),
            "a note larger than its segment");
}

TEST(Bundle, ReadsSixtyFourPropertiesOfANote) {
  const auto processor_after = [](std::size_t others) {
    auto bytes = bytes_of(fault("needs-x86-64-v4"));
    const auto old = segment_of(bytes, elf::segment_properties).offset;
    const auto begin = (bytes.size() + 15) / 16 * 16;
    bytes.resize(begin + 16 * (others + 2));
    std::memcpy(bytes.data() + begin, bytes.data() + old, 16);
    std::memcpy(bytes.data() + begin + 16 * (others + 1), bytes.data() + old + 16, 16);
    at<elf::NoteHeader>(bytes, begin).text_size = static_cast<std::uint32_t>(16 * (others + 1));
    for (std::size_t i = 1; i <= others; ++i) {
      at<elf::Property>(bytes, begin + 16 * i) = {.type = 1, .size = 8};
    }
    // The segment of all notes and that of the properties, at the end of the last one to load.
    const elf::Header header = header_of(bytes);
    const auto segment = [&](std::uint64_t i) -> elf::Segment& {
      return at<elf::Segment>(bytes, header.segments_offset + i * sizeof(elf::Segment));
    };
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < header.segment_count; ++i) {
      if (segment(i).type == elf::segment_load) last = i;
    }
    segment(last).file_size = segment(last).memory_size = bytes.size() - segment(last).offset;
    for (std::uint64_t i = 0; i < header.segment_count; ++i) {
      if (segment(i).type != elf::segment_properties &&
          (segment(i).type != elf::segment_note || segment(i).offset != old)) {
        continue;
      }
      segment(i).offset = begin;
      segment(i).address = segment(last).address + begin - segment(last).offset;
      segment(i).file_size = segment(i).memory_size = bytes.size() - begin;
    }
    return read_bundle(bytes, "x").value()[0].demands.processor;
  };
  EXPECT_EQ(processor_after(0), 8u);
  EXPECT_EQ(processor_after(63), 8u);
  EXPECT_EQ(processor_after(64), 0u);
  EXPECT_EQ(processor_after(640), 0u);
}
#endif

// -- Reloadability ------------------------------------------------------------

TEST(Bundle, GradesReloadability) {
  const auto grade = [](const std::string& name, bool joins_threads) {
    return to_string(reload_of(bundle_of(name), {joins_threads}).grade);
  };
  EXPECT_EQ(grade("good", false), "safe");
  EXPECT_EQ(grade("good-sysv-hash", false), "safe");
  EXPECT_EQ(grade("unique-symbols", false), "safe (patched)");
  EXPECT_EQ(grade("unique-symbols-cured", false), "safe");
  EXPECT_EQ(grade("thread-local", false), "unverified");
  EXPECT_EQ(grade("thread-joined", true), "safe");
  EXPECT_EQ(grade("thread-joined", false), "unverified");
  EXPECT_EQ(grade("nodelete", true), "unsafe");
}

TEST(Bundle, NamesCauseAndRemedyOfAReloadProblem) {
  const ReloadSafety nodelete = reload_of(bundle_of("nodelete"), {.joins_threads = true});
  EXPECT_EQ(nodelete.symbol, "DF_1_NODELETE");
  EXPECT_EQ(nodelete.file, fault("nodelete"));
  EXPECT_EQ(nodelete.fix, "link it without -z nodelete");
  EXPECT_TRUE(nodelete.stays_mapped);
  const ReloadSafety threads = reload_of(bundle_of("thread-stays"), {});
  EXPECT_EQ(threads.symbol, "pthread_create");
  EXPECT_NE(threads.fix.find("\"threads\": \"joined\""), std::string::npos);
  EXPECT_TRUE(threads.stays_mapped);
  const ReloadSafety objects = reload_of(bundle_of("thread-local"), {});
  EXPECT_EQ(objects.symbol, "__cxa_thread_atexit");
  EXPECT_FALSE(objects.stays_mapped);
}

TEST(Bundle, IncludesLibrariesBesideTheModule) {
  const tests::World world;
  const auto put = [&](const std::string& name, const std::string& as) {
    fs::path to = world.path(as);
    fs::copy_file(fault(name), to, fs::copy_options::overwrite_existing);
    return to;
  };
  const fs::path module = put("sibling-user", "plugins/user.so");
  const fs::path library = put("sibling-1", "lib/libtests-sibling.so.1");
  EXPECT_EQ(read_bundle(bytes_of(module), module).value().size(), 2U);
  put("deep", "lib/libtests-deep.so.1");
  EXPECT_EQ(read_bundle(bytes_of(module), module).value().size(), 3U) << "and at theirs";

  // A problem of a library is a problem of the module.
  put("nodelete", "lib/libtests-sibling.so.1");
  const Bundle bundle = read_bundle(bytes_of(module), module).value();
  const ReloadSafety reload = reload_of(bundle, {.joins_threads = true});
  EXPECT_EQ(reload.grade, ReloadGrade::unsafe);
  EXPECT_TRUE(fs::equivalent(reload.file, library));
}

TEST(Bundle, IncludesLibrariesThatExportNothing) {
  const tests::World world;
  const fs::path module = world.path("plugins/user.so");
  fs::copy_file(fault("sibling-user"), module);
  fs::copy_file(fault("exports-nothing"), world.path("lib/libtests-sibling.so.1"));
  const auto bundle = read_bundle(bytes_of(module), module);
  ASSERT_TRUE(bundle) << bundle.error().to_string();
  ASSERT_EQ(bundle->size(), 2U);
  EXPECT_EQ(bundle->at(1).blockers.threads, "pthread_create");
}

// If a file exports nothing, its relocations determine how many symbols are read.
TEST(Bundle, RefusesRelocationsForSymbolsPastTheEndOfTheFile) {
  auto bytes = bytes_of(fault("exports-nothing"));
  const auto code_with = [&bytes](std::uint32_t symbol) {
    const auto segment = segment_of(bytes, elf::segment_dynamic);
    for (auto offset = segment.offset;; offset += sizeof(elf::DynamicEntry)) {
      const auto entry = at<elf::DynamicEntry>(bytes, offset);
      if (entry.tag == elf::dynamic_end) return std::string("no relocations");
      // The first segment begins at address 0, and linkers place the table in it.
      if (entry.tag != elf::dynamic_relocations) continue;
      auto& relocation = at<elf::Relocation>(bytes, entry.value);
      relocation.symbol = symbol;
      const auto bundle = read_bundle(bytes, "/plugins/x.so");
      return bundle ? "ok" : std::string(bundle.error().code());
    }
  };
  EXPECT_EQ(code_with(1), "ok");
  for (const std::uint32_t symbol : {0xffffU, (1U << 20) - 1, 1U << 20, ~0U}) {
    EXPECT_EQ(code_with(symbol), "broken-file") << symbol;
  }
}

TEST(Bundle, SkipsLibrariesThatTheSystemWouldNotLoad) {
  const tests::World world;
  const fs::path module = world.path("plugins/user.so");
  fs::copy_file(fault("sibling-user"), module);
  world.write("lib/libtests-sibling.so.1", "INPUT(-lc)");
  EXPECT_EQ(read_bundle(bytes_of(module), module).value().size(), 1U);
}

TEST(Bundle, LeavesFilesUnchangedIfPossible) {
  Bundle bundle = bundle_of("good");
  const Bytes before = bundle[0].content;
  const auto names = make_private(bundle, 1);
  ASSERT_TRUE(names);
  EXPECT_EQ(bundle[0].content, before);
  EXPECT_TRUE(names->at(0).empty());
}

TEST(Bundle, RemovesUniqueSymbolsAndSonames) {
  for (const std::string name : {"unique-symbols", "named"}) {
    Bundle bundle = bundle_of(name);
    ASSERT_TRUE(!bundle[0].blockers.unique.empty() || bundle[0].linkage.soname) << name;
    ASSERT_TRUE(make_private(bundle, 1));
    const Bundle copy = read_bundle(bundle[0].content, fault(name)).value();
    EXPECT_TRUE(copy[0].blockers.unique.empty());
    EXPECT_FALSE(copy[0].linkage.soname);
    EXPECT_EQ(code_of(bundle[0].content), "ok");
  }
}

TEST(Bundle, RenamesEachLibrary) {
  const tests::World world;
  const fs::path module = world.path("plugins/user.so");
  fs::copy_file(fault("sibling-user"), module);
  fs::copy_file(fault("sibling-1"), world.path("lib/libtests-sibling.so.1"));
  fs::copy_file(fault("deep"), world.path("lib/libtests-deep.so.1"));
  Bundle bundle = read_bundle(bytes_of(module), module).value();
  const auto names = make_private(bundle, 62).value();
  EXPECT_EQ(names.at(1), std::vector<std::string>{"libtests-siblin~00011"});
  EXPECT_EQ(names.at(2), std::vector<std::string>{"libtests-dee~00012"});
  const Bundle copy = read_bundle(bundle[0].content, module).value();
  EXPECT_EQ(copy[0].needed.at(0).name.text, names[1][0]);
  EXPECT_EQ(copy[0].linkage.run_path.value().text, "$ORIGIN///////");
  EXPECT_EQ(copy[0].linkage.versions_of.at(0).text, names[1][0]);
}

TEST(Bundle, RewritesOnlyRunPathsNearTheModule) {
  Bundle bundle = bundle_of("sibling-user-directories");
  ASSERT_TRUE(make_private(bundle, 1));
  const Bundle copy = read_bundle(bundle[0].content, fault("sibling-user-directories")).value();
  EXPECT_EQ(copy[0].linkage.run_path.value().text,
            "/nowhere/lib:$ORIGIN:$ORIGIN///////:/nowhere/else");
}

TEST(Bundle, RefusesNamesThatDoNotFit) {
  const tests::World world;
  const fs::path module = world.path("plugins/user.so");
  fs::copy_file(fault("sibling-user"), module);
  fs::copy_file(fault("sibling-1"), world.path("lib/libtests-sibling.so.1"));
  Bundle bundle = read_bundle(bytes_of(module), module).value();
  EXPECT_EQ(make_private(bundle, std::uint64_t{62} * 62 * 62 * 62 * 62).error().code(),
            "load-failed")
      << "more loads than there are names";
  bundle = read_bundle(bytes_of(module), module).value();
  // The linker may store a name that must not change as the suffix of one that must.
  auto other = bundle[0].needed.at(0);
  other.name = {other.name.text.substr(3), other.name.offset + 3};
  other.own.reset();
  bundle[0].needed.push_back(other);
  EXPECT_EQ(make_private(bundle, 1).error().code(), "load-failed");
}

}}  // namespace tenon::detail
