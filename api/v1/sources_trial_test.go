package v1_test

import (
	"strings"
	"testing"

	"switchyard/api/apitest"
)

// TestTrySource: a test postback that cannot be sent to a source is refused before a job is created.
func TestTrySource(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/traffic-sources", object{"name": "S"}).Want(201, "").Map()["id"].(string)
	path := "/traffic-sources/" + id + "/test-postback"
	s.Do("POST", path, nil).Want(400, "no_url")
	s.Do("PUT", "/traffic-sources", object{"id": id, "name": "S", "postback_goals": []object{{"goal": "lead", "url": "https://source.example/lead"}}}).
		Want(200, "")
	s.Do("POST", path, nil).Want(400, "no_url")
	s.Do("POST", path, object{"goal": "Lead", "click_id": "x"}).Want(400, "no_click")
	s.Do("POST", path, object{"status": "maybe"}).Want(400, "invalid_value")
	s.Do("POST", path, object{"payout": "much"}).Want(400, "invalid_number")
	s.Do("POST", path, object{"payout": -1}).Want(400, "out_of_range")
	s.Do("POST", path, object{"goal": strings.Repeat("g", 65)}).Want(400, "too_long")
	s.Do("POST", "/traffic-sources/x/test-postback", nil).Want(400, "invalid_id")
	s.As(s.ReadKey).Do("POST", path, nil).Want(403, "read_only_key")
	_, theirs, _ := s.NewAccount("pro")
	s.As(theirs).Do("POST", path, nil).Want(404, "not_found")
}
