#include "readers/json_lines.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "readers/csv_records.hpp"
#include "readers/id_text.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

using Json = nlohmann::json;

// The position of a column in a line.
struct Field {
  std::string key;          // empty if lines are arrays
  std::int64_t place = -1;  // index in the array; -1 if the value is not an array
};

std::string name_of(const Field& field) {
  return field.place < 0 ? field.key : field.key + "_" + std::to_string(field.place);
}

// In the order of the first line.
std::vector<Field> fields_of(const nlohmann::ordered_json& first) {
  std::vector<Field> fields;
  const auto add_array = [&](const std::string& key, const nlohmann::ordered_json& array) {
    for (std::size_t i = 0; i < array.size(); ++i) fields.push_back({key, static_cast<std::int64_t>(i)});
  };
  if (first.is_array()) {
    add_array("", first);
    return fields;
  }
  for (const auto& [key, value] : first.items()) {
    if (value.is_array()) {
      add_array(key, value);
    } else {
      fields.push_back({key});
    }
  }
  return fields;
}

template <typename T>
class JsonLinesReader : public RowReader<T> {
 public:
  JsonLinesReader(std::unique_ptr<PeekedStream> stream, const JsonLinesOptions& options)
      : lines_(std::move(stream)), patience_(options.at_once), gaps_(options.gaps) {
    lines_.ignore_quotes();
    if (!lines_.next(record_)) throw FileError("there are no rows: the file is empty");
    const auto first = nlohmann::ordered_json::parse(record_.text, nullptr, false);
    if (!first.is_object() && !first.is_array()) {
      throw FileError("line " + std::to_string(record_.line) + ": not a JSON object or array");
    }
    is_array_ = first.is_array();
    const std::vector<Field> fields = fields_of(first);
    if (fields.empty()) throw FileError("line " + std::to_string(record_.line) + ": there are no columns");
    std::vector<std::string> names;
    for (const Field& field : fields) {
      if (!is_array_) names.push_back(name_of(field));
    }
    const ChosenColumns chosen = chosen_columns(options.choice, names, fields.size());
    for (std::size_t j = 0; j < fields.size(); ++j) {
      if (!chosen.wanted[j]) continue;
      fields_.push_back(fields[j]);
      if (!is_array_) names_.push_back(names[j]);
    }
    if (chosen.id) id_ = fields[*chosen.id];
    id_name_ = chosen.id_name;
    if (is_array_) width_ = fields.size();
  }

  Index columns() const override { return static_cast<Index>(fields_.size()); }
  std::vector<std::string> names() const override { return names_; }
  std::string id_name() const override { return id_name_; }
  const char* place() const override { return "line"; }

  void read(PlacedRows<T>& block) override {
    block.places.clear();
    patience_.begin_block();
    while (block.taken() < block.capacity()) {
      if (!has_record_ && block.taken() > 0 && !lines_.comes_in_time(patience_)) break;
      if (!has_record_ && !lines_.next(record_)) break;
      has_record_ = false;
      const Json line = Json::parse(record_.text, nullptr, false);
      const std::string problem = take(line, block);
      if (problem.empty()) {
        block.places.push_back(record_.line);
        ++block.count;
      } else {
        block.bad.push_back({record_.line, problem});
      }
    }
    block.fraction = lines_.fraction();
  }

 private:
  // Adds a row. Returns what is wrong with the line, or an empty text.
  std::string take(const Json& line, PlacedRows<T>& block) const {
    if (line.is_discarded()) return "not JSON";
    if (is_array_ ? !line.is_array() : !line.is_object()) {
      return std::string("not a JSON ") + (is_array_ ? "array" : "object") + " like the first line";
    }
    if (is_array_ && line.size() != width_) {
      return std::to_string(line.size()) + " numbers where the first line has " + std::to_string(width_);
    }
    T* row = block.rows.data() + block.count * columns();
    const Json* value = nullptr;
    const Field* before = nullptr;
    for (const Field& field : fields_) {
      // The fields of one array are adjacent and need one lookup.
      if (before == nullptr || before->key != field.key) value = found(line, field);
      before = &field;
      const Json* const number = element(value, field);
      if (gaps_ && (number == nullptr || number->is_null())) {
        *row++ = std::numeric_limits<T>::quiet_NaN();
        continue;
      }
      if (number == nullptr) return "there is no \"" + name_of(field) + "\"";
      if (!number->is_number()) return "\"" + name_of(field) + "\" is not a number";
      *row++ = static_cast<T>(number->template get<double>());
    }
    if (!id_) return {};
    const Json* const id = element(found(line, *id_), *id_);
    if (id == nullptr || id->is_structured()) return "there is no id \"" + name_of(*id_) + "\"";
    block.ids.push_back(id->is_string()         ? id->template get<std::string>()
                        : id->is_number_float() ? id_text(id->template get<double>())
                                                : id->dump());
    return {};
  }

  const Json* found(const Json& line, const Field& field) const {
    if (is_array_) return &line;
    const auto value = line.find(field.key);
    return value == line.end() ? nullptr : &*value;
  }

  static const Json* element(const Json* value, const Field& field) {
    if (value == nullptr || field.place < 0) return value;
    if (!value->is_array() || static_cast<std::size_t>(field.place) >= value->size()) return nullptr;
    return &(*value)[static_cast<std::size_t>(field.place)];
  }

  CsvRecords lines_;
  Patience patience_;
  bool gaps_;
  Record record_;
  bool has_record_ = true;  // whether `record_` was not used yet
  bool is_array_ = false;
  std::size_t width_ = 0;  // length of the arrays
  std::vector<Field> fields_;
  std::vector<std::string> names_;
  std::optional<Field> id_;
  std::string id_name_;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_json_lines(std::unique_ptr<PeekedStream> stream,
                                              const JsonLinesOptions& options) {
  return std::make_unique<JsonLinesReader<T>>(std::move(stream), options);
}

template std::unique_ptr<RowReader<float>> open_json_lines(std::unique_ptr<PeekedStream>,
                                                           const JsonLinesOptions&);
template std::unique_ptr<RowReader<double>> open_json_lines(std::unique_ptr<PeekedStream>,
                                                            const JsonLinesOptions&);

}  // namespace roipca::cli
