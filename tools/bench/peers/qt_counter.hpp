// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <QObject>

#include "counter.hpp"

class QtCounter : public QObject, public tenon::bench::Counter {
  Q_OBJECT
  Q_PLUGIN_METADATA(IID "bench.example.counter")

 public:
  bool check(std::int64_t value) override { return value >= 0; }
};
