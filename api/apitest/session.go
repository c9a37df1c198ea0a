package apitest

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"switchyard/api/middleware"
	"switchyard/db/people"
	"switchyard/models"
)

// SignIn returns the same server for a new person of the account. Its calls carry the person's session instead of a key, like the
// calls of the dashboard.
func (s *Server) SignIn(role models.Role) *Server {
	s.t.Helper()
	_, token, err := people.New(s.Store).CreateLink(context.Background(), models.EntryLink{
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

// asPage adds the headers that a browser sends for the dashboard.
func (s *Server) asPage(req *http.Request) {
	req.Host = "localhost" // the host of BaseURL
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set(middleware.PageHeader, "1")
	if s.cookie != "" {
		req.Header.Set("Cookie", s.cookie)
	}
}
