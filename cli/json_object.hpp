/// JSON output. Hides the JSON library, whose headers take long to compile.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace roipca::cli {

/// A JSON object whose members keep the order in which they were added. Bytes that are not UTF-8 are replaced
/// by U+FFFD.
class JsonObject {
 public:
  JsonObject();
  ~JsonObject();
  JsonObject(JsonObject&& other) noexcept;
  JsonObject& operator=(JsonObject&& other) noexcept;

  void add(const std::string& key, const std::string& value);
  void add(const std::string& key, const char* value) { add(key, std::string(value)); }
  void add(const std::string& key, bool value);
  void add(const std::string& key, std::int64_t value);
  void add(const std::string& key, double value);
  void add(const std::string& key, const std::vector<double>& values);
  void add(const std::string& key, const std::vector<std::string>& values);
  void add(const std::string& key, const JsonObject& object);

  enum class Layout { kOneLine, kManyLines };

  /// Writes the object and a newline. On a terminal, characters outside ASCII are escaped, because some of
  /// them control it.
  void print(std::FILE* file, Layout layout) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the number of bytes that a list of texts takes as JSON inside a JSON string.
std::size_t size_as_nested_json(const std::vector<std::string>& texts);

/// Returns `text` with bytes that are not UTF-8 replaced by U+FFFD.
std::string as_utf8(const std::string& text);

}  // namespace roipca::cli
