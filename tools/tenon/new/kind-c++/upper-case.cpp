// Changes the letters a to z to capitals.
#include <me/sdk/sample.hpp>

#include <string>
#include <string_view>

struct UpperCase : me::sdk::SampleV1 {
  std::string apply(std::string_view text) override {
    std::string changed(text);
    for (char& c : changed) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return changed;
  }
};

TENON_PLUGIN(UpperCase, "me.example/upper-case", "0.1.0", {"summary": "Capital letters"});
