// SPDX-License-Identifier: BSL-1.0
#include <QMetaType>
#include <cstdint>

struct TestsItem {
  std::int64_t number;
};
Q_DECLARE_METATYPE(TestsItem)

extern "C" std::int64_t tests_sum(std::int64_t n) {
  static const int type = qRegisterMetaType<TestsItem>("TestsItem");
  const TestsItem item = {n * (n + 1) / 2};
  auto* copy = static_cast<TestsItem*>(QMetaType::create(type, &item));
  const std::int64_t number = copy->number;
  QMetaType::destroy(type, copy);
  return number;
}
