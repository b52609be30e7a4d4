// Python sends the rows through a pipe, after JSON messages that are each preceded by their length
// (python/roipca/_command_rows.py): first the names of the columns; then, once it was told which columns to
// read, the names of the features; then, before each block of rows, their number and the size of their ids in
// bytes.
#include "readers/arrow.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "python_process.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kNeeds =
    "reading Parquet and Arrow files needs the Python package: pip install 'roipca[parquet]'; "
    "$ROIPCA_PYTHON can name the interpreter";

template <typename T>
class ArrowReader : public RowReader<T> {
 public:
  ArrowReader(const std::string& path, const ColumnChoice& choice)
      : python_("_command_rows", "send", path, kNeeds) {
    const auto names = python_.receive().at("columns").get<std::vector<std::string>>();
    const ChosenColumns chosen = chosen_columns(choice, names, names.size());
    std::vector<std::size_t> wanted;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (chosen.wanted[j]) wanted.push_back(j);
    }
    python_.send({{"columns", wanted}, {"id", chosen.id ? Json(*chosen.id) : Json()}});
    const Json shape = python_.receive();
    names_ = shape.at("names").get<std::vector<std::string>>();
    rows_ = shape.at("rows").get<std::int64_t>();
    id_name_ = chosen.id_name;
  }

  Index columns() const override { return static_cast<Index>(names_.size()); }
  std::optional<std::int64_t> rows() const override { return rows_; }
  std::vector<std::string> names() const override { return names_; }
  std::string id_name() const override { return id_name_; }

  void read(PlacedRows<T>& block) override {
    while (block.count < block.capacity() && next_ < rows_) {
      if (taken_ == count_) receive_block();
      const Index count = std::min(block.capacity() - block.count, count_ - taken_);
      const double* const from = numbers_.data() + taken_ * columns();
      T* const to = block.rows.data() + block.count * columns();
      std::transform(from, from + count * columns(), to, [](double x) { return static_cast<T>(x); });
      for (Index i = 0; i < count; ++i) {
        block.places.push_back(next_ + i);
        if (!ids_.empty()) block.ids.push_back(std::move(ids_[static_cast<std::size_t>(taken_ + i)]));
      }
      block.count += count;
      taken_ += count;
      next_ += count;
    }
    block.fraction = static_cast<double>(next_) / static_cast<double>(rows_);
  }

 private:
  void receive_block() {
    const Json message = python_.receive();
    count_ = message.at("rows").get<Index>();
    std::string ids(message.at("id_bytes").get<std::size_t>(), '\0');
    python_.receive(ids);
    ids_.clear();
    for (std::size_t at = 0; at < ids.size(); at = ids.find('\0', at) + 1) {
      ids_.emplace_back(ids, at, ids.find('\0', at) - at);
    }
    numbers_.resize(static_cast<std::size_t>(count_ * columns()));
    python_.receive(std::span(reinterpret_cast<char*>(numbers_.data()), numbers_.size() * sizeof(double)));
    taken_ = 0;
  }

  PythonProcess python_;
  std::vector<std::string> names_;
  std::string id_name_;
  std::int64_t rows_ = 0;
  std::int64_t next_ = 0;
  std::vector<double> numbers_;  // rows of the last block received
  std::vector<std::string> ids_;
  Index count_ = 0;
  Index taken_ = 0;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_arrow(const std::string& path, const ColumnChoice& choice) {
  try {
    return std::make_unique<ArrowReader<T>>(path, choice);
  } catch (const Json::exception&) {
    throw FileError("unexpected message from Python: does it have another version of roipca?");
  }
}

template std::unique_ptr<RowReader<float>> open_arrow(const std::string&, const ColumnChoice&);
template std::unique_ptr<RowReader<double>> open_arrow(const std::string&, const ColumnChoice&);

}  // namespace roipca::cli
