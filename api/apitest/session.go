package apitest

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"switchyard/api/middleware"
	"switchyard/models"
)

// SignIn is the same server for a new person of the account: calls have the session of the person instead of the key, as the
// dashboard makes them. Do then also calls paths below /app.
func (s *Server) SignIn(role models.Role) *Server {
	s.t.Helper()
	_, token, err := s.Store.People().CreateLink(context.Background(), models.EntryLink{
		Kind: models.LinkEntry, AccountID: s.Account.ID, Email: uuid.NewString() + "@example.com", Role: role,
	})
	check(s.t, err)
	other := *s
	other.Key, other.person = "", true
	used := other.Do(http.MethodPost, "/app/api/links/use", map[string]string{"token": token, "password": "a password for tests"}).Want(http.StatusOK, "")
	cookie, err := http.ParseSetCookie(used.Header.Get("Set-Cookie"))
	check(s.t, err)
	other.cookie = cookie.Name + "=" + cookie.Value
	return &other
}

// asPage gives a request what a browser adds for the dashboard.
func (s *Server) asPage(req *http.Request) {
	req.Host = "localhost" // of the base address
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set(middleware.PageHeader, "1")
	if s.cookie != "" {
		req.Header.Set("Cookie", s.cookie)
	}
}
