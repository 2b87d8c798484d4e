/* The closed form against the definition, counted item by item, for every chip. */
#include "analyse/model/intensity.h"
#include "tests/test.h"

#include <math.h>

static double intensity(const fh_work *w, double bytes, double batch)
{
    return batch * w->flops / (bytes * (w->weights + batch * w->moved));
}

/* The first batch whose intensity reaches the ridge, by trying; < 0 when none below `most` does. */
static double first_batch(const fh_work *w, double bytes, double ridge, double most)
{
    for (double batch = 1; batch <= most; batch++)
        if (intensity(w, bytes, batch) >= ridge)
            return batch;
    return -1;
}

static void turning_points(void)
{
    static const double sides[][2] = {{64, 64},     {768, 768},    {768, 3072}, {3072, 768},
                                      {4096, 4096}, {4096, 11008}, {1, 1},      {5120, 32000}};
    static const double bytes[] = {1, 2, 4};
    for (unsigned chip = 0; chip < fh_soc_count(); chip++) {
        const fh_soc *soc = fh_soc_at(chip);
        const double ridges[] = {fh_ridge16(soc), fh_ridge32(soc), fh_ridge8(soc)};
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
            for (size_t b = 0; b < 3; b++)
                for (size_t r = 0; r < 3; r++) {
                    double in = sides[i][0], out = sides[i][1];
                    fh_work layer = {2 * in * out, in * out, in + out};
                    if (ridges[r] <= 0)
                        continue;
                    fh_intensity got = fh_intensity_of(&layer, bytes[b], ridges[r]);
                    double want = first_batch(&layer, bytes[b], ridges[r], 20000);
                    CHECK(want < 0 ? got.turns < 0 || got.turns > 20000
                                   : fabs(got.turns - want) <= 1);
                }
    }
}

static void limits(void)
{
    fh_work layer = {2 * 768.0 * 3072, 768.0 * 3072, 768 + 3072};
    fh_intensity got = fh_intensity_of(&layer, 2, 184.3125);
    CHECK(fabs(got.one - intensity(&layer, 2, 1)) < 1e-12);
    CHECK(fabs(got.many - intensity(&layer, 2, 1e15)) < 1e-6);
    CHECK(fh_intensity_of(&layer, 2, 0).turns < 0); /* no bandwidth is known */
    fh_work stays = {2, 1, 0};
    CHECK(isinf(fh_intensity_of(&stays, 2, 184).many));
    CHECK(fh_intensity_of(&stays, 2, 184).turns == 184);
}

/* 4 L L d operations, 4 L d numbers of 2 bytes: counted for one head of 64 numbers. */
static void attention(void)
{
    fh_intensity got = fh_intensity_of_attention(2, 184.3125);
    double length = 1, d = 64;
    while (4 * length * length * d / (2 * 4 * length * d) < 184.3125)
        length++;
    CHECK(got.turns == length);
    CHECK(got.one == 4 * length * d / (2 * 2 * length * d)); /* keys and values, read once */
}

static void ridges(void)
{
    const fh_soc *soc = fh_soc_find(fh_text_from("910B3"));
    CHECK(soc && fabs(fh_ridge16(soc) - soc->derived16 * 1e12 / (soc->bandwidth * 1e9)) < 1e-9);
    for (unsigned chip = 0; chip < fh_soc_count(); chip++) {
        soc = fh_soc_at(chip);
        CHECK(fh_ridge16(soc) >= 0 && isfinite(fh_ridge16(soc)));
        /* Element-wise work waits for memory on every chip: what the report says of it. */
        CHECK(fh_ridge_vector(soc) == 0 || fh_ridge_vector(soc) > 6);
    }
}

static void classes(void)
{
    double low, high;
    const char *formula;
    CHECK(fh_intensity_of_class(fh_text_from("normalisation"), &low, &high, &formula));
    CHECK(low > 0 && high >= low && *formula);
    CHECK(!fh_intensity_of_class(fh_text_from("matmul"), &low, &high, &formula));
    CHECK(!fh_intensity_of_class((fh_text){0}, &low, &high, &formula));
}

int main(void)
{
    TEST(turning_points);
    TEST(limits);
    TEST(attention);
    TEST(ridges);
    TEST(classes);
    return test_report();
}
