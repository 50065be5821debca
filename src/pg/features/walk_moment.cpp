// Walks of dates and times.
#include "learn/base/words.h"
#include "features/sources.h"

extern "C" {
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/json.h"
#include "utils/timestamp.h"
}

namespace sparselin {

namespace {

constexpr double days_of_year = 365.2425;  // on the mean of 400 years

void take_part(FeatureSink& sink, const char* part, int value) {
    const Size mark = sink.path_size();
    sink.append(part);
    sink.take_category(NumberText(value));
    sink.cut(mark);
}

// Days since 2000-01-01.
void take_day(FeatureSink& sink, int day) {
    const int julian = day + POSTGRES_EPOCH_JDATE;
    int year, month, of_month;
    j2date(julian, &year, &month, &of_month);
    const int weekday = j2day(julian);  // 0 on Sundays
    take_part(sink, ".month", month);
    take_part(sink, ".weekday", weekday == 0 ? 7 : weekday);
}

void take_infinity(FeatureSink& sink, bool negative) {
    sink.take_category(negative ? "-infinity" : "infinity");
}

void walk_date(FeatureSink& sink, DateADT day) {
    if (DATE_NOT_FINITE(day)) return take_infinity(sink, DATE_IS_NOBEGIN(day));
    sink.take_number(day / days_of_year);
    take_day(sink, day);
}

// Microseconds since 2000-01-01.
void walk_timestamp(FeatureSink& sink, Timestamp time) {
    if (TIMESTAMP_NOT_FINITE(time)) return take_infinity(sink, TIMESTAMP_IS_NOBEGIN(time));
    sink.take_number(static_cast<double>(time) / static_cast<double>(USECS_PER_DAY) / days_of_year);
    int64 of_day = time % USECS_PER_DAY;
    if (of_day < 0) of_day += USECS_PER_DAY;
    take_day(sink, static_cast<int>((time - of_day) / USECS_PER_DAY));
    take_part(sink, ".hour", static_cast<int>(of_day / USECS_PER_HOUR));
}

}  // namespace

// A timestamp with a time zone is stored in UTC, so that TimeZone has no say in its parts.
void walk_moment(FeatureSink& sink, Oid type, Datum value, bool element) {
    if (!element && type == DATEOID) return walk_date(sink, DatumGetDateADT(value));
    if (!element && (type == TIMESTAMPOID || type == TIMESTAMPTZOID))
        return walk_timestamp(sink, DatumGetTimestamp(value));
    char text[MAXDATELEN + 1];
    const int utc = 0;
    sink.take_category(JsonEncodeDateTime(text, value, type, type == TIMESTAMPTZOID ? &utc : nullptr));
}

}  // namespace sparselin
