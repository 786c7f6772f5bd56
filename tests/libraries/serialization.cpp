// SPDX-License-Identifier: BSL-1.0
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/base_object.hpp>
#include <boost/serialization/export.hpp>

#include <cstdint>
#include <sstream>
#include <string>

struct TestsBase {
  virtual ~TestsBase() = default;
  template <class Archive>
  void serialize(Archive&, unsigned) {}
};
struct TestsItem : TestsBase {
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& boost::serialization::base_object<TestsBase>(*this);
  }
};
BOOST_CLASS_EXPORT(TestsItem)

extern "C" std::int64_t tests_sum(std::int64_t n) {
  TestsItem item;
  const TestsBase* pointer = &item;
  std::ostringstream text;
  boost::archive::text_oarchive(text) << pointer;
  return text.str().find("TestsItem") != std::string::npos ? n * (n + 1) / 2 : 0;
}
