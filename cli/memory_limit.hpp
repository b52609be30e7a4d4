/// Limits the memory of this process, so that absurd input fails early instead of exhausting the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace roipca::cli {

/// Parses a number of bytes such as "512M", where K, M, G and T are powers of 1024. Returns nothing for any
/// other text and for 0.
std::optional<std::uint64_t> parse_bytes(const std::string& text);

/// Returns the physical memory of the machine in bytes.
std::uint64_t physical_memory();

/// Returns the smallest limit in bytes, a whole number of MiB, under which a command can run at all: room for
/// the program itself and for the stack of the thread that reads.
std::uint64_t least_memory();

/// Makes allocations beyond `bytes` fail with std::bad_alloc in this process and its children. Keeps a lower
/// limit that is already set (ulimit -d).
void limit_memory(std::uint64_t bytes);

/// Returns the limit as part of a message, " within 64 MB", or an empty text if there is none.
std::string memory_limit_text();

}  // namespace roipca::cli
