#define ROIPCA_KERNEL_NAMESPACE baseline
#define ROIPCA_KERNEL_NAME "baseline"
#define ROIPCA_VECTOR_BYTES 16

#include "kernels/implementation.hpp"
// In this order.
#include "kernels/eigen_implementation.hpp"
// In this order.
#include "kernels/leading_implementation.hpp"
// In this order.
#include "kernels/low_rank_implementation.hpp"
// In this order.
#include "kernels/instantiate.hpp"
