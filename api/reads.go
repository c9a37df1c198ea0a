package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"switchyard/api/middleware"
	"switchyard/api/route"
)

// accountKey is the key of the account that a request of Reads is of.
type accountKey struct{}

// Reads gives what reads as an account: a handler of the rows that answer GET, at their paths without a prefix. Nothing that
// writes is among them, and nothing of another account is found. It needs of the Deps what those rows need, and no Rates.
func Reads(d Deps) func(account uuid.UUID) http.Handler {
	p := middleware.NewPipeline(d.Store, nil, middleware.NewSite("", nil), d.Undeclared)
	mux := http.NewServeMux()
	rows := Table(d)
	for i := range rows {
		row := &rows[i]
		if row.Method != http.MethodGet || row.Scope != route.Read || row.Public {
			continue
		}
		mux.HandleFunc("GET "+row.Path, func(w http.ResponseWriter, r *http.Request) {
			account, _ := r.Context().Value(accountKey{}).(uuid.UUID)
			p.ServeAs(account, row, w, r, r.PathValue)
		})
	}
	return func(account uuid.UUID) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), accountKey{}, account)))
		})
	}
}
