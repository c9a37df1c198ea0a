package api

import (
	"net/http"

	"github.com/google/uuid"

	"switchyard/api/middleware"
	"switchyard/api/route"
	"switchyard/models/tool"
)

// Reads returns a function that makes a read-only handler for an account. The handler serves the GET rows of scope read that are
// not public, and the simulator, at their paths without a prefix. It finds no records of other accounts.
func Reads(d Deps) func(account uuid.UUID) http.Handler {
	p := middleware.NewPipeline(d.Store, nil, middleware.NewSite("", nil), d.Undeclared)
	rows := Table(d)
	return func(account uuid.UUID) http.Handler {
		mux := http.NewServeMux()
		for i := range rows {
			row := &rows[i]
			simulator := row.Path == tool.SimulatePath && row.Scope == route.Ask
			if row.Method == http.MethodGet && row.Scope == route.Read && !row.Public || simulator {
				mux.HandleFunc(row.Method+" "+row.Path, func(w http.ResponseWriter, r *http.Request) {
					p.ServeAs(account, row, w, r, r.PathValue)
				})
			}
		}
		return mux
	}
}
