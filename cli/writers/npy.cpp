#include <bit>
#include <cstdint>

#include "writers/formats.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

static_assert(std::endian::native == std::endian::little,
              "rows are written as little-endian machines hold them");

// The header always has 128 bytes, so that the number of rows can be filled in at the end.
template <typename T>
std::string header(std::int64_t rows, Index columns) {
  constexpr std::size_t kSize = 128;
  constexpr std::size_t kPreface = 10;
  std::string text = "{'descr': '<f" + std::to_string(sizeof(T)) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  text.resize(kSize - kPreface - 1, ' ');
  std::string preface("\x93NUMPY\x01\x00\x00\x00", kPreface);
  preface[8] = static_cast<char>(kSize - kPreface);
  return preface + text + '\n';
}

template <typename T>
class NpyWriter : public RowWriter<T> {
 public:
  NpyWriter(const std::string& path, Index columns) : file_(path), columns_(columns) {
    file_.write(header<T>(0, columns));
  }

  void write(const Rows<T>& rows, std::span<const std::string> /*ids*/) override {
    for (Index i = 0; i < rows.rows(); ++i) {
      buffer_.append(reinterpret_cast<const char*>(rows.row(i).data()),
                     static_cast<std::size_t>(columns_) * sizeof(T));
    }
    rows_ += rows.rows();
    file_.write(buffer_);
    buffer_.clear();
  }

  void complete() override {
    file_.rewrite_start(header<T>(rows_, columns_));
    file_.sync();
  }
  void publish() override { file_.publish(); }

 private:
  OutputFile file_;
  Index columns_;
  std::int64_t rows_ = 0;
  std::string buffer_;
};

}  // namespace

template <typename T>
std::unique_ptr<RowWriter<T>> npy_writer(const std::string& path, Index columns) {
  return std::make_unique<NpyWriter<T>>(path, columns);
}

template std::unique_ptr<RowWriter<float>> npy_writer(const std::string&, Index);
template std::unique_ptr<RowWriter<double>> npy_writer(const std::string&, Index);

}  // namespace roipca::cli
