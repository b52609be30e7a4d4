#define ROIPCA_KERNEL_NAMESPACE x86_64_v3
#define ROIPCA_KERNEL_NAME "x86-64-v3"
#define ROIPCA_VECTOR_BYTES 32

#include "kernels/implementation.hpp"
// In this order.
#include "kernels/eigen_implementation.hpp"
// In this order.
#include "kernels/leading_implementation.hpp"
// In this order.
#include "kernels/low_rank_implementation.hpp"
// In this order.
#include "kernels/instantiate.hpp"
