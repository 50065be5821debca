// Names of features that come from columns, found again by their numbers: for messages, so that a search through all
// names that a column may have is quick enough.
#include "learn/base/words.h"
#include "features/row_plan.h"
#include "wall/aggregate.h"

namespace sparselin {

namespace {

RowPlan* known_plans = nullptr;

void forget(void* gone) {
    RowPlan** link = &known_plans;
    while (*link != gone) link = &(*link)->next;
    *link = (*link)->next;
}

// Takes names as a walk does, and keeps the one it is after.
class NameSought final : public FeatureSink {
public:
    NameSought(int32 feature, int bits) : FeatureSink(bits), feature_(feature) {}

    const char* name() const { return name_; }

private:
    void found(std::string_view name, int32 feature, float4) override {
        if (feature == feature_ && name_ == nullptr) name_ = pstrdup(shown_name(name));
    }

    int32 feature_;
    const char* name_ = nullptr;
};

// In 48 steps of 30 days and an hour every month, day of the week and hour comes.
void offer_moments(NameSought& sink, Oid type) {
    for (int64 i = 1; i <= 48; ++i) {
        const int64 hours = i * (30 * 24 + 1);
        const Datum moment =
            type == DATEOID ? Int32GetDatum(static_cast<int32>(hours / 24)) : Int64GetDatum(hours * 3600 * 1000000);
        walk_moment(sink, type, moment, false);
    }
}

void offer_places(NameSought& sink) {
    constexpr int most_places = 16000;  // of pgvector's vectors
    const Size mark = sink.path_size();
    for (int place = 1; place <= most_places && sink.name() == nullptr; ++place) {
        sink.append(".");
        sink.append(NumberText(place));
        sink.take_number(1.0);
        sink.cut(mark);
    }
}

void offer_columns(NameSought& sink, const RowPlan* plan, bool named);

void offer_value(NameSought& sink, const ValuePlan& value) {
    switch (value.kind) {
        case ColumnKind::number:
        case ColumnKind::boolean: return sink.take_number(1.0);
        case ColumnKind::moment:
            if (value.type != TIMEOID && value.type != TIMETZOID) offer_moments(sink, value.type);
            return;
        case ColumnKind::vector: return offer_places(sink);
        case ColumnKind::composite:
            if (value.row != nullptr) offer_columns(sink, value.row, true);
            return;
        default: return;
    }
}

void offer_columns(NameSought& sink, const RowPlan* plan, bool named) {
    const Size mark = sink.path_size();
    for (int i = 0; i < plan->descriptor->natts && sink.name() == nullptr; ++i) {
        const ColumnPlan& column = plan->columns[i];
        if (column.skip) continue;
        if (named) sink.append(".");
        sink.append(column.name);
        sink.take_null();
        offer_value(sink, column.value);
        sink.cut(mark);
    }
}

}  // namespace

void remember(RowPlan* plan) {
    at_reset(plan->context, forget, plan);
    plan->is_remembered = true;
    plan->next = known_plans;
    known_plans = plan;
}

const char* name_of_column(int32 feature, int bits) {
    NameSought sink(feature, bits);
    for (const RowPlan* plan = known_plans; plan != nullptr && sink.name() == nullptr; plan = plan->next)
        offer_columns(sink, plan, false);
    return sink.name();
}

}  // namespace sparselin
