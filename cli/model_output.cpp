#include "model_output.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include "roipca/model_file.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {

template <typename T>
void write_model(const Model<T>& model, const std::string& path) {
  if (path != "-") {
    save(model, path);
    return;
  }
  const std::vector<std::byte> bytes = to_bytes(model);
  OutputFile(path).write(std::span(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

template void write_model(const Model<float>&, const std::string&);
template void write_model(const Model<double>&, const std::string&);

}  // namespace roipca::cli
