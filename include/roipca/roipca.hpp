/// Everything: online PCA by rank-one updates.
#pragma once

#include "roipca/accuracy.hpp"         // IWYU pragma: export
#include "roipca/alignment.hpp"        // IWYU pragma: export
#include "roipca/batch_pca.hpp"        // IWYU pragma: export
#include "roipca/build_info.hpp"       // IWYU pragma: export
#include "roipca/checkpoint.hpp"       // IWYU pragma: export
#include "roipca/component_count.hpp"  // IWYU pragma: export
#include "roipca/errors.hpp"           // IWYU pragma: export
#include "roipca/kernel.hpp"           // IWYU pragma: export
#include "roipca/kernel_pca.hpp"       // IWYU pragma: export
#include "roipca/learning_rate.hpp"    // IWYU pragma: export
#include "roipca/limits.hpp"           // IWYU pragma: export
#include "roipca/merge.hpp"            // IWYU pragma: export
#include "roipca/model.hpp"            // IWYU pragma: export
#include "roipca/model_file.hpp"       // IWYU pragma: export
#include "roipca/monitor.hpp"          // IWYU pragma: export
#include "roipca/online_pca.hpp"       // IWYU pragma: export
#include "roipca/option_table.hpp"     // IWYU pragma: export
#include "roipca/options.hpp"          // IWYU pragma: export
#include "roipca/preparation.hpp"      // IWYU pragma: export
#include "roipca/refinement.hpp"       // IWYU pragma: export
#include "roipca/sparse.hpp"           // IWYU pragma: export
#include "roipca/subspace.hpp"         // IWYU pragma: export
#include "roipca/types.hpp"            // IWYU pragma: export
