/// Shared by the fuzz targets. Whatever the bytes, a reader returns rows or throws FileError, and does
/// nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "readers/byte_stream.hpp"
#include "readers/row_reader.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {

inline std::unique_ptr<PeekedStream> bytes_in_memory(const std::uint8_t* data, std::size_t size) {
  return std::make_unique<PeekedStream>(
      memory_stream(std::string(reinterpret_cast<const char*>(data), size)));
}

template <typename T>
void read_everything(RowReader<T>& reader) {
  PlacedRows<T> block;
  do {
    block.is_sparse = reader.is_sparse();
    if (block.is_sparse) {
      block.room = 64;
      block.sparse.clear(reader.columns());
      block.places.clear();
    } else {
      block.rows.resize(16, reader.columns());
    }
    block.count = 0;
    block.bad.clear();
    reader.read(block);
    if (block.places.size() < static_cast<std::size_t>(block.count)) __builtin_trap();
  } while (block.taken() > 0);
}

template <typename Action>
int refusing(Action action) {
  try {
    action();
  } catch (const FileError&) {
    return 0;
  }
  return 0;
}

}  // namespace roipca::cli
