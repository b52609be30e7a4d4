/// Models as the output of a command.
#pragma once

#include <string>

#include "roipca/model.hpp"

namespace roipca::cli {

/// Writes the model to a file, or to standard output for "-". Throws FileError and Interrupted.
template <typename T>
void write_model(const Model<T>& model, const std::string& path);

extern template void write_model(const Model<float>&, const std::string&);
extern template void write_model(const Model<double>&, const std::string&);

}  // namespace roipca::cli
