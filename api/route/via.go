package route

import (
	"context"

	"switchyard/models"
)

type viaKey struct{}

// WithVia returns a context for calls that the service itself makes for a caller, such as the calls of an assistant's tool. v names the
// client and the tool, for the audit log.
func WithVia(ctx context.Context, v models.Via) context.Context {
	return context.WithValue(ctx, viaKey{}, v)
}

// ViaOf returns the value that WithVia has set. It is zero for a call that its caller made directly.
func ViaOf(ctx context.Context) models.Via {
	v, _ := ctx.Value(viaKey{}).(models.Via)
	return v
}

// Raw is an answer that is sent unchanged, without {data, error}.
type Raw struct {
	Status int
	Type   string
	Body   []byte
}
