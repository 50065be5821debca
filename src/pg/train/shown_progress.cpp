#include "train/shown_progress.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "wall/result_rows.h"

extern "C" {
#include "commands/dbcommands.h"
#include "utils/timestamp.h"
}

namespace sparselin {

namespace {

// Far above those of the server's own commands. A number of ours in the first place makes sure of it.
constexpr int command_number = 0x5350;
constexpr int64 mark = 0x73706172'73656c01;

enum Place {
    mark_place,
    learner_place,
    phase_place,
    model_place,
    rows_place,
    done_place,
    epoch_place,
    epochs_place,
    loss_place,
    ends_at_place,
    seen_at_place,
    places
};
static_assert(places <= PGSTAT_NUM_PROGRESS_PARAM);

constexpr const char* phase_names[] = {"reading rows", "looking at rows", "searching", "learning", "settling"};

// As a number: it need not be one that the server's type has a name for.
int command_of(const PgBackendStatus* entry) {
    int command;
    static_assert(sizeof entry->st_progress_command == sizeof command);
    memcpy(&command, &entry->st_progress_command, sizeof command);
    return command;
}

// What is shown of this process.
bool is_shown = false;
int64 shown[places];

// Whether the place of this process is that of a command; `otherwise` where nobody knows.
bool is_place_of(int command, bool otherwise) {
    const PgBackendStatus* const own = own_status();
    return own != nullptr ? command_of(own) == command : otherwise;
}

// Where the place of this process is not another command's. The type of the number is C's: it takes any.
void tell() {
    if (is_place_of(PROGRESS_COMMAND_INVALID, true))
        pgstat_progress_start_command(static_cast<ProgressCommandType>(command_number), InvalidOid);
    if (!is_place_of(command_number, true)) return;
    int where[places];
    for (int place = 0; place < places; ++place) where[place] = place;
    pgstat_progress_update_multi_param(places, where, shown);
}

bool may_see(Oid role) {
    return has_privs_of_role(GetUserId(), read_all_stats_role) || has_privs_of_role(GetUserId(), role);
}

// Those at a place, or NULL where they are 0.
struct Columns {
    const int64* numbers;
    Datum* values;
    bool* nulls;
    int next = 0;

    void put(Datum value, bool is_null = false) {
        values[next] = value;
        nulls[next++] = is_null;
    }
    void put_text(const char* text) { put(text != nullptr ? CStringGetTextDatum(text) : (Datum)0, text == nullptr); }
    void put_name(char* name) {
        put(name != nullptr ? DirectFunctionCall1(namein, CStringGetDatum(name)) : (Datum)0, name == nullptr);
    }
    void put_number(Place place) { put(Int64GetDatum(numbers[place]), numbers[place] == 0); }
    void put_time(Place place) { put(TimestampTzGetDatum(numbers[place]), numbers[place] == 0); }
};

void put_row(ResultRows& rows, const PgBackendStatus& entry) {
    constexpr int most = 16;
    Datum values[most];
    bool nulls[most];
    const int64* const numbers = entry.st_progress_param;
    Columns columns{numbers, values, nulls};
    LearnerKind learner{};
    const bool known = find_by_number(static_cast<uint8>(numbers[learner_place]), learner);
    const auto phase = static_cast<Size>(numbers[phase_place]);
    const auto loss = std::bit_cast<double>(numbers[loss_place]);
    columns.put(Int32GetDatum(entry.st_procpid));
    columns.put_name(get_database_name(entry.st_databaseid));
    columns.put_name(GetUserNameFromId(entry.st_userid, true));
    columns.put_text(known ? name_of(learner) : nullptr);
    columns.put_text(phase < std::size(phase_names) ? phase_names[phase] : nullptr);
    columns.put_number(model_place);
    columns.put_number(rows_place);
    columns.put(Int64GetDatum(numbers[done_place]), numbers[model_place] == 0);
    columns.put_number(epoch_place);
    columns.put_number(epochs_place);
    columns.put(Float8GetDatum(loss), !std::isfinite(loss));
    columns.put_time(ends_at_place);
    columns.put_time(seen_at_place);
    if (columns.next != rows.descriptor->natts) elog(ERROR, "%d columns of progress were expected", columns.next);
    rows.put(values, nulls);
}

}  // namespace

void show_progress(const ShownProgress& progress) {
    const int64 told[places] = {mark,
                                static_cast<int64>(progress.learner),
                                static_cast<int64>(progress.phase),
                                progress.model,
                                progress.rows,
                                progress.done,
                                progress.epoch,
                                progress.epochs,
                                std::bit_cast<int64>(progress.loss),
                                progress.ends_at,
                                GetCurrentTimestamp()};
    memcpy(shown, told, sizeof shown);
    is_shown = true;
    tell();
}

void keep_progress_shown() {
    if (is_shown && is_place_of(PROGRESS_COMMAND_INVALID, false)) tell();
}

void end_shown_progress() {
    if (is_shown && is_place_of(command_number, true)) pgstat_progress_end_command();
    is_shown = false;
}

// Of all processes of the server whose statistics the caller may see.
SPARSELIN_FUNCTION(sparselin_progress) {
    ResultRows rows = begin_result_rows(fcinfo);
    const int count = pgstat_fetch_stat_numbackends();
    for (int i = 1; i <= count; ++i) {
        const LocalPgBackendStatus* const local = local_backend_status(i);
        if (local == nullptr || local->backendStatus.st_procpid <= 0) continue;
        const PgBackendStatus& entry = local->backendStatus;
        if (command_of(&entry) != command_number || entry.st_progress_param[mark_place] != mark) continue;
        if (may_see(entry.st_userid)) put_row(rows, entry);
    }
    return (Datum)0;
}

}  // namespace sparselin
