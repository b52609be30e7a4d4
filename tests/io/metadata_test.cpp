#include "io/metadata.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "roipca/errors.hpp"

namespace roipca::io {
namespace {

using Limits = std::numeric_limits<double>;
using Settings = Model<double>;  // without arrays

Settings to_settings(const Metadata& metadata) {
  Settings settings;
  read_metadata(metadata, settings);
  return settings;
}

Metadata with(Metadata metadata, const std::string& name, const std::string& value) {
  for (auto& [key, text] : metadata) {
    if (key == name) text = value;
  }
  return metadata;
}

std::string refusal(const Metadata& metadata) {
  try {
    to_settings(metadata);
    return {};
  } catch (const FileError& error) {
    return error.what();
  }
}

Options round_trip(const Options& options) {
  Settings settings;
  settings.options = options;
  return to_settings(to_metadata(settings)).options;
}

TEST(Metadata, EveryOptionSurvivesARoundTrip) {
  const Options options = {.n_components = 5,
                           .method = Method::kOja,
                           .update_every = UpdateEvery::kRow,
                           .block_size = 7,
                           .mu = Mu::fixed(0.1),
                           .tau = Tau::kOptimal,
                           .oversampling = 0,
                           .center = false,
                           .forgetting = 1.0 / 3.0,
                           .threads = 3,
                           .learning_rate = LearningRate::fixed(0.3),
                           .amnesia = 0.1 + 0.2};
  EXPECT_EQ(round_trip(options), options);
  EXPECT_EQ(round_trip(Options()), Options());
  EXPECT_EQ(round_trip({.learning_rate = LearningRate::tuned()}).learning_rate, LearningRate::tuned());
}

TEST(Metadata, WhatTheLibraryChoseSurvivesARoundTrip) {
  Settings settings;
  settings.resolved = {Method::kGha, 3.61};
  EXPECT_EQ(to_settings(to_metadata(settings)).resolved, settings.resolved);
}

TEST(Metadata, AnOptionThatIsMissingHasItsDefault) {
  Settings settings;
  settings.options.amnesia = 3.0;
  Metadata metadata = to_metadata(settings);
  std::erase_if(metadata, [](const auto& field) { return field.first == "option.amnesia"; });
  EXPECT_EQ(to_settings(metadata).options, Options());
}

TEST(Metadata, RealNumbersSurviveARoundTripBitForBit) {
  for (const double number : {0.0, -0.0, 0.1, 1.0 / 3.0, 0.1 + 0.2, 1e22, 1e23, Limits::denorm_min(),
                              -Limits::denorm_min(), Limits::min(), Limits::max(), Limits::lowest()}) {
    Settings settings;
    settings.weight = number;
    settings.weight_pairs = number;
    settings.scatter_trace = number;
    const Settings back = to_settings(to_metadata(settings));
    for (const double other : {back.weight, back.weight_pairs, back.scatter_trace}) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(other), std::bit_cast<std::uint64_t>(number)) << number;
    }
  }
}

TEST(Metadata, TheLargestCountsSurviveARoundTrip) {
  Settings settings;
  settings.rows = std::numeric_limits<std::int64_t>::max();
  settings.n_components = std::numeric_limits<Index>::max();
  const Settings back = to_settings(to_metadata(settings));
  EXPECT_EQ(back.rows, settings.rows);
  EXPECT_EQ(back.n_components, settings.n_components);
}

TEST(Metadata, AMissingFieldIsNamed) {
  const Metadata whole = to_metadata(Settings{});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].first.starts_with("option.")) continue;
    Metadata metadata = whole;
    metadata.erase(metadata.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(refusal(metadata), "field \"" + whole[i].first + "\" of the metadata is missing");
  }
}

TEST(Metadata, AFieldThatCannotBeReadIsNamed) {
  const Metadata whole = to_metadata(Settings{});
  for (const auto& [name, value] : whole) {
    for (const char* bad :
         {"", " 1", "1 ", "nan", "inf", "-inf", "1e999", "0x1p3", "99999999999999999999x", "maybe"}) {
      EXPECT_NE(refusal(with(whole, name, bad)).find("\"" + name + "\""), std::string::npos)
          << name << " = \"" << bad << "\"";
    }
  }
}

TEST(Metadata, FieldsOfLaterVersionsAreIgnored) {
  Metadata metadata = to_metadata(Settings{});
  metadata.emplace_back("colour", "blue");
  EXPECT_EQ(to_settings(metadata).options, Options{});
}

}  // namespace
}  // namespace roipca::io
