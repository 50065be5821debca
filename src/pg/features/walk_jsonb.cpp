// Walks of jsonb, and of the numbers in it.
#include "features/sources.h"

namespace sparselin {

namespace {

void take_scalar(FeatureSink& sink, const JsonbValue& value, bool element) {
    switch (value.type) {
        case jbvString: sink.take_category({value.val.string.val, static_cast<size_t>(value.val.string.len)}); break;
        case jbvNumeric: walk_numeric(sink, value.val.numeric, element); break;
        case jbvBool:
            element ? sink.take_category(value.val.boolean ? "true" : "false") : sink.take_truth(value.val.boolean);
            break;
        default: break;
    }
}

// `named`: there is a name already that keys are put behind. The iterator of the server does not recurse, nor does
// this.
void walk_container(FeatureSink& sink, JsonbContainer* container, bool named) {
    JsonbIterator* iterator = JsonbIteratorInit(container);
    JsonbValue value;
    GrowingArray<Size> marks;  // how long the name was at each bracket that is open
    for (JsonbIteratorToken token; (token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE;) {
        CHECK_FOR_INTERRUPTS();
        switch (token) {
            case WJB_BEGIN_OBJECT:
            case WJB_BEGIN_ARRAY: marks.push(sink.path_size()); break;
            case WJB_END_OBJECT:
            case WJB_END_ARRAY: sink.cut(marks.data[--marks.count]); break;
            case WJB_KEY:
                sink.cut(marks.data[marks.count - 1]);
                if (named || marks.count > 1) sink.append(".");
                sink.append({value.val.string.val, static_cast<size_t>(value.val.string.len)});
                break;
            default: take_scalar(sink, value, token == WJB_ELEM); break;
        }
    }
    if (marks.data != nullptr) pfree(marks.data);
}

}  // namespace

void walk_numeric(FeatureSink& sink, Numeric number, bool element) {
    char* const text = element ? numeric_normalize(number)
                               : DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(number)));
    if (element) sink.refuse_non_finite(text);
    element ? sink.take_category(text) : sink.take_number(text);
    pfree(text);
}

void walk_jsonb(FeatureSink& sink, Jsonb* source) {
    if (!JB_ROOT_IS_OBJECT(source)) {
        const bool scalar = JB_ROOT_IS_SCALAR(source);
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("features are made of a jsonb object, not of %s", scalar ? "a scalar" : "an array"),
                scalar ? errhint("Give it a name: jsonb_build_object('name', value).")
                       : errhint("Give it a name, as in jsonb_build_object('name', value), or turn its elements into "
                                 "names: ARRAY(SELECT jsonb_array_elements_text(value))."));
    }
    walk_container(sink, &source->root, false);
}

void walk_named_jsonb(FeatureSink& sink, Jsonb* source, bool element) {
    JsonbValue scalar;
    if (JsonbExtractScalar(&source->root, &scalar))
        take_scalar(sink, scalar, element);
    else
        walk_container(sink, &source->root, true);
}

}  // namespace sparselin
