// SPDX-License-Identifier: BSL-1.0
#include "base/plain_text.hpp"

#include <tenon/result.hpp>

#include <gtest/gtest.h>

namespace tenon { namespace {

TEST(PlainText, KeepsOrdinaryTextOfAllLanguages) {
  for (const std::string text : {"", "a b", "C:\\x", "Grüße", "日本語", "\U0001f600", "é"}) {
    EXPECT_EQ(escaped_for_display(text), text);
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(PlainText, EscapesControlCharacters) {
  EXPECT_EQ(escaped_for_display("a\nb\r\t"), "a\\x0ab\\x0d\\x09");
  EXPECT_EQ(escaped_for_display("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(escaped_for_display(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(escaped_for_display("\u009b2J"), "\\xc2\\x9b2J") << "C1 as UTF-8";
  EXPECT_EQ(escaped_for_display("\x9b"
                                "2J"),
            "\\x9b2J")
      << "C1 as one byte";
}

TEST(PlainText, EscapesBidirectionalAndInvisibleCharacters) {
  EXPECT_EQ(escaped_for_display("a\u202eb"), "a\\xe2\\x80\\xaeb");
  EXPECT_EQ(escaped_for_display("\u2066\u2069"), "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
  EXPECT_EQ(escaped_for_display("\u2028"), "\\xe2\\x80\\xa8");
  EXPECT_EQ(escaped_for_display("\u200b\ufeff"), "\\xe2\\x80\\x8b\\xef\\xbb\\xbf");
}

TEST(PlainText, FindsHiddenCharacters) {
  // A tag, a filler, a joiner, a selector of variants of letters, and a mark of shorthand.
  for (const std::string text :
       {"\U000e0041", "\u3164", "\u034f", "\U000e0100", "\U0001bca0", "\u202e", "\u200b"}) {
    EXPECT_TRUE(has_hidden("blur" + text));
    EXPECT_NE(escaped_for_display(text), text);
  }
  for (const std::string text : {"", "blur", "a\nb\x1b", "日本語", "\u2764\ufe0f", "\xff"}) {
    EXPECT_FALSE(has_hidden(text)) << text;
  }
}

TEST(PlainText, EscapesInvalidUtf8) {
  for (const std::string text : {"\xff", "\xc0\xaf", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                 "\xe2\x80", "\x80", "\xe0\x80\x80"}) {
    const std::string clean = valid_utf8(text);
    EXPECT_EQ(clean.size(), 4 * text.size()) << clean;
    EXPECT_EQ(escaped_for_display(text), clean);
  }
  EXPECT_EQ(valid_utf8("a\xff\n"), "a\\xff\n") << "only invalid UTF-8";
}

TEST(PlainText, EscapesLinesInErrors) {
  const Error error({.code = "broken-file",
                     .where = "a\nerror[forged] b",
                     .found = "\x1b[2J\nneeded  nothing",
                     .needed = "a\xff",
                     .fix = "\u202efix"});
  EXPECT_EQ(error.to_string(),
            "error[broken-file] a\\x0aerror[forged] b\n"
            "   found   \\x1b[2J\n"
            "           needed  nothing\n"
            "   needed  a\\xff\n"
            "   fix     \\xe2\\x80\\xaefix");
  const Error call({.status = TENON_INTERNAL, .message = "a\nb", .plugin = "p", .method = "m"});
  EXPECT_EQ(call.to_string(), "p: m: internal: a\\x0ab");
}

TEST(PlainText, IsQuotedForShellsIfItMustBe) {
  EXPECT_EQ(shell_word("/a/b-1.0.so"), "/a/b-1.0.so");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word(""), "''");
}

}}  // namespace tenon
