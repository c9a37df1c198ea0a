package moved

import (
	"context"
	"errors"
	"net/http"

	"switchyard/workers/providers/trackers"
)

// Each requests each record of a list by its id. It leaves out deleted records.
func Each(
	ctx context.Context, list []Value, what string, progress trackers.Progress, get func(ctx context.Context, id string, into any) error,
) (out []Value, err error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	for i, thin := range list {
		progress(what, i, len(list))
		id := thin.At("id").ID()
		if id == "" || thin.At("deleted").True() || thin.At("isDeleted").True() {
			continue
		}
		var record Value
		if err := get(ctx, id, &record); err != nil {
			if f, ok := errors.AsType[*trackers.FailureError](err); ok && f.Status == http.StatusNotFound {
				continue
			}
			return nil, err
		}
		out = append(out, record)
	}
	progress(what, len(list), len(list))
	return out, nil
}
