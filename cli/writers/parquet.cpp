// Python writes the file (python/roipca/_command_output.py). It receives the names and the type of the
// columns, then blocks of rows, each preceded by their number and the size of their ids in bytes, and then
// the end.
#include <nlohmann/json.hpp>

#include "python_process.hpp"
#include "roipca/errors.hpp"
#include "writers/formats.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

constexpr const char* kNeeds =
    "writing Parquet files needs the Python package: pip install 'roipca[parquet]'; $ROIPCA_PYTHON can "
    "name the interpreter";

template <typename T>
class ParquetWriter : public RowWriter<T> {
 public:
  ParquetWriter(const std::string& path, const std::vector<std::string>& names, const std::string& id_name)
      : output_(path), python_("_command_output", "receive", output_.temporary(), kNeeds) {
    naming([&] {
      python_.receive();  // the confirmation that Python has started
      python_.send({{"names", names}, {"id", id_name}, {"type", sizeof(T) == 4 ? "float32" : "float64"}});
    });
  }

  void write(const Rows<T>& rows, std::span<const std::string> ids) override {
    std::string bytes;
    for (const std::string& id : ids) bytes.append(id).push_back('\0');
    const std::size_t id_bytes = bytes.size();
    for (Index i = 0; i < rows.rows(); ++i) {
      bytes.append(reinterpret_cast<const char*>(rows.row(i).data()),
                   static_cast<std::size_t>(rows.cols()) * sizeof(T));
    }
    naming([&] {
      python_.send({{"rows", rows.rows()}, {"id_bytes", id_bytes}});
      python_.send(std::span<const char>(bytes));
    });
  }

  void complete() override {
    naming([&] {
      python_.send({{"rows", -1}});
      python_.receive();  // the confirmation that the file is complete
    });
    output_.sync();
  }
  void publish() override { output_.publish(); }

 private:
  template <typename Action>
  void naming(Action action) const {
    try {
      action();
    } catch (const FileError& error) {
      output_.fail(error.what());
    }
  }

  OutputFile output_;
  PythonProcess python_;
};

}  // namespace

template <typename T>
std::unique_ptr<RowWriter<T>> parquet_writer(const std::string& path, const std::vector<std::string>& names,
                                             const std::string& id_name) {
  return std::make_unique<ParquetWriter<T>>(path, names, id_name);
}

template std::unique_ptr<RowWriter<float>> parquet_writer(const std::string&, const std::vector<std::string>&,
                                                          const std::string&);
template std::unique_ptr<RowWriter<double>> parquet_writer(const std::string&,
                                                           const std::vector<std::string>&,
                                                           const std::string&);

}  // namespace roipca::cli
