#include "json_object.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

namespace roipca::cli {

using Json = nlohmann::ordered_json;

struct JsonObject::Impl {
  Json json = Json::object();
};

JsonObject::JsonObject() : impl_(std::make_unique<Impl>()) {}
JsonObject::~JsonObject() = default;
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject& JsonObject::operator=(JsonObject&&) noexcept = default;

void JsonObject::add(const std::string& key, const std::string& value) { impl_->json[key] = value; }
void JsonObject::add(const std::string& key, bool value) { impl_->json[key] = value; }
void JsonObject::add(const std::string& key, std::int64_t value) { impl_->json[key] = value; }
void JsonObject::add(const std::string& key, double value) { impl_->json[key] = value; }
void JsonObject::add(const std::string& key, const std::vector<double>& values) { impl_->json[key] = values; }
void JsonObject::add(const std::string& key, const std::vector<std::string>& values) {
  impl_->json[key] = values;
}
void JsonObject::add(const std::string& key, const JsonObject& object) {
  impl_->json[key] = object.impl_->json;
}

void JsonObject::print(std::FILE* file, Layout layout) const {
  const int indent = layout == Layout::kOneLine ? -1 : 2;
  const bool ascii_only = ::isatty(::fileno(file)) == 1;
  const std::string text = impl_->json.dump(indent, ' ', ascii_only, Json::error_handler_t::replace);
  std::fprintf(file, "%s\n", text.c_str());
}

std::size_t size_as_nested_json(const std::vector<std::string>& texts) {
  return Json(Json(texts).dump()).dump().size();
}

std::string as_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace roipca::cli
