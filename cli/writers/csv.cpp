#include <array>
#include <charconv>

#include "writers/byte_sink.hpp"
#include "writers/formats.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

std::string quoted(const std::string& name, char delimiter) {
  if (name.find_first_of(std::string("\"\r\n#") + delimiter) == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

// Writes numbers with the fewest digits that read back to the same bits.
template <typename T>
class CsvWriter : public RowWriter<T> {
 public:
  CsvWriter(const std::string& path, char delimiter, const std::vector<std::string>& names,
            const std::string& id_name)
      : file_(path), sink_(open_sink(file_, path)), delimiter_(delimiter) {
    if (!id_name.empty()) buffer_ += quoted(id_name, delimiter) + delimiter;
    for (const std::string& name : names) buffer_ += quoted(name, delimiter) + delimiter;
    buffer_.back() = '\n';
  }

  void write(const Rows<T>& rows, std::span<const std::string> ids) override {
    for (Index i = 0; i < rows.rows(); ++i) {
      if (!ids.empty()) buffer_ += quoted(ids[static_cast<std::size_t>(i)], delimiter_) + delimiter_;
      for (Index j = 0; j < rows.cols(); ++j) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), rows(i, j)).ptr;
        buffer_.append(digits.data(), end);
        buffer_ += delimiter_;
      }
      buffer_.back() = '\n';
    }
    flush();
  }

  void complete() override {
    flush();
    sink_->end();
    file_.sync();
  }
  void publish() override { file_.publish(); }

 private:
  void flush() {
    sink_->write(buffer_);
    buffer_.clear();
  }

  OutputFile file_;
  std::unique_ptr<ByteSink> sink_;
  char delimiter_;
  std::string buffer_;
};

}  // namespace

template <typename T>
std::unique_ptr<RowWriter<T>> csv_writer(const std::string& path, char delimiter,
                                         const std::vector<std::string>& names, const std::string& id_name) {
  return std::make_unique<CsvWriter<T>>(path, delimiter, names, id_name);
}

template std::unique_ptr<RowWriter<float>> csv_writer(const std::string&, char,
                                                      const std::vector<std::string>&, const std::string&);
template std::unique_ptr<RowWriter<double>> csv_writer(const std::string&, char,
                                                       const std::vector<std::string>&, const std::string&);

}  // namespace roipca::cli
