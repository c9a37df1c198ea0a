package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
)

func offer(name string) map[string]any {
	return map[string]any{"name": name, "url": "https://shop.example/?c={clickid}"}
}

// with sets a field of m and returns m.
func with(m map[string]any, field string, value any) map[string]any {
	m[field] = value
	return m
}

func TestOfferRoundTrip(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/offers", map[string]any{
		"name": " Shoes ", "url": "https://shop.example/{param.host}", "payout": 12.5, "payout_type": "percent", "currency": "eur",
		"country": "de", "daily_cap": 7, "notes": "n", "group_name": "G", "payout_from_param": false,
		"tags": []string{"a", "A", " b "},
	}).Want(201, "").Map()
	for field, want := range map[string]any{
		"name": "Shoes", "payout": 12.5, "currency": "EUR", "country": "DE",
		"daily_cap": 7.0, "group": "G", "group_name": "G", "payout_from_param": false, "status": "active",
	} {
		if made[field] != want {
			t.Errorf("%s is %v, want %v", field, made[field], want)
		}
	}
	if tags := fmt.Sprint(made["tags"]); tags != "[a b]" {
		t.Errorf("the tags are %s, want a and b", tags)
	}

	put := s.Do("PUT", "/offers", with(offer("Boots"), "id", made["id"])).Want(200, "").Map()
	for field, want := range map[string]any{
		"name": "Boots", "payout": 0.0, "currency": "USD", "country": "",
		"daily_cap": nil, "group": "", "payout_from_param": true, "payout_type": "fixed", "id": made["id"],
	} {
		if put[field] != want {
			t.Errorf("after PUT %s is %v, want %v", field, put[field], want)
		}
	}

	paused := s.Do("PATCH", "/offers", map[string]any{"id": made["id"], "is_active": false}).Want(200, "").Map()
	if paused["status"] != "paused" {
		t.Errorf("want the status paused: %v", paused)
	}
	again := s.Do("PUT", "/offers", with(offer("Boots"), "id", made["id"])).Want(200, "").Map()
	if again["status"] != "paused" {
		t.Error("PUT resumed a paused offer")
	}

	path := fmt.Sprintf("/offers/%s/clone", made["id"])
	for _, want := range []string{"Boots (copy)", "Boots (copy 2)"} {
		if name := s.Do("POST", path, nil).Want(201, "").Map()["name"]; name != want {
			t.Errorf("copy is named %q, want %q", name, want)
		}
	}

	gone := s.Do("DELETE", fmt.Sprintf("/offers?id=%s", made["id"]), nil).Want(200, "").Map()
	if gone["deactivated"] != true {
		t.Errorf("want the offer deactivated: %v", gone)
	}
	s.Do("DELETE", fmt.Sprintf("/offers?id=%s", made["id"]), nil).Want(404, "not_found")
	list := s.Do("GET", "/offers?from=2026-01-01&to=2026-01-02", nil).Want(200, "").Map()
	if rows := list["rows"].([]any); len(rows) != 2 || list["next_cursor"] != nil {
		t.Errorf("want two offers and no cursor after the deletion: %v", list)
	}
	if r := fmt.Sprint(list["range"]); r != "map[from:2026-01-01 00:00:00 to:2026-01-02 23:59:59]" {
		t.Errorf("the range is %s, want the two days of the call", r)
	}
	s.Do("POST", "/offers", offer("Boots")).Want(201, "") // the name is free again
}

// TestOfferOfADeactivatedNetwork: an offer keeps its deactivated network when it is changed. A copy does not.
func TestOfferOfADeactivatedNetwork(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	network := s.Do("POST", "/networks", map[string]any{"name": "Net"}).Want(201, "").Map()["id"]
	made := s.Do("POST", "/offers", with(offer("Shoes"), "network_id", network)).Want(201, "").Map()
	s.Do("DELETE", fmt.Sprintf("/networks?id=%s", network), nil).Want(200, "")
	put := s.Do("PUT", "/offers", with(with(offer("Boots"), "id", made["id"]), "network_id", network)).Want(200, "").Map()
	if put["network_id"] != network || put["name"] != "Boots" {
		t.Errorf("want the new name and the same network after PUT: %v", put)
	}
	clone := s.Do("POST", fmt.Sprintf("/offers/%s/clone", made["id"]), nil).Want(201, "").Map()
	if clone["network_id"] != nil {
		t.Errorf("the copy has the network %v", clone["network_id"])
	}
	s.Do("POST", "/offers", with(offer("New"), "network_id", network)).Want(400, "invalid_network")
	s.Do("PUT", "/offers", with(with(offer("Copy"), "id", clone["id"]), "network_id", network)).Want(400, "invalid_network")
}

func TestOfferErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/offers", offer("Taken")).Want(201, "").Map()["id"]
	deep := strings.Repeat(`[`, 40) + strings.Repeat(`]`, 40)
	cases := map[string]struct {
		body   any
		status int
		code   string
	}{
		"not json":           {`name=x`, 400, "bad_body"},
		"empty":              {``, 400, "bad_body"},
		"array":              {`[]`, 400, "bad_body"},
		"text":               {`"x"`, 400, "bad_body"},
		"null":               {`null`, 400, "bad_body"},
		"two objects":        {`{}{}`, 400, "bad_body"},
		"half":               {`{"name":"x"`, 400, "bad_body"},
		"bad utf8":           {"{\"name\":\"\xff\"}", 400, "bad_body"},
		"deep":               {`{"name":` + deep + `}`, 400, "bad_body"},
		"nul":                {`{"name":"a\u0000b","url":"https://x.example"}`, 400, "invalid_input"},
		"no name":            {with(offer(""), "payout", 1), 400, "required"},
		"blank name":         {offer("  "), 400, "required"},
		"no url":             {map[string]any{"name": "x"}, 400, "required"},
		"long name":          {offer(strings.Repeat("ä", 256)), 400, "too_long"},
		"long notes":         {with(offer("x"), "notes", strings.Repeat("x", 2001)), 400, "too_long"},
		"long group":         {with(offer("x"), "group_name", strings.Repeat("x", 256)), 400, "too_long"},
		"ftp":                {with(offer("x"), "url", "ftp://x.example"), 400, "invalid_url"},
		"no host":            {with(offer("x"), "url", "https://"), 400, "invalid_url"},
		"script":             {with(offer("x"), "url", "javascript:alert(1)"), 400, "invalid_url"},
		"line break":         {with(offer("x"), "url", "https://x.example/\r\nx"), 400, "invalid_url"},
		"name type":          {with(offer("x"), "name", 5), 400, "invalid_input"},
		"url type":           {with(offer("x"), "url", []int{1}), 400, "invalid_input"},
		"payout type":        {with(offer("x"), "payout", "12"), 400, "invalid_number"},
		"payout bool":        {with(offer("x"), "payout", true), 400, "invalid_number"},
		"payout low":         {with(offer("x"), "payout", -0.01), 400, "out_of_range"},
		"payout high":        {with(offer("x"), "payout", 1000000000.01), 400, "out_of_range"},
		"payout huge":        {`{"name":"x","url":"https://x.example","payout":1e999999999}`, 400, "out_of_range"},
		"payout_type choice": {with(offer("x"), "payout_type", "both"), 400, "invalid_input"},
		"payout_type type":   {with(offer("x"), "payout_type", 1), 400, "invalid_input"},
		"cap text":           {with(offer("x"), "daily_cap", "5"), 400, "invalid_number"},
		"cap fraction":       {with(offer("x"), "daily_cap", 1.5), 400, "invalid_number"},
		"cap low":            {with(offer("x"), "daily_cap", 0), 400, "out_of_range"},
		"cap high":           {with(offer("x"), "daily_cap", 1000001), 400, "out_of_range"},
		"cap huge":           {`{"name":"x","url":"https://x.example","daily_cap":99999999999999999999}`, 400, "out_of_range"},
		"country form":       {with(offer("x"), "country", "DEU"), 400, "invalid_country"},
		"country type":       {with(offer("x"), "country", 12), 400, "invalid_country"},
		"network form":       {with(offer("x"), "network_id", "x"), 400, "invalid_network"},
		"network type":       {with(offer("x"), "network_id", 1), 400, "invalid_network"},
		"network unknown":    {with(offer("x"), "network_id", uuid.NewString()), 400, "invalid_network"},
		"from_param type":    {with(offer("x"), "payout_from_param", "yes"), 400, "invalid_input"},
		"notes type":         {with(offer("x"), "notes", map[string]int{}), 400, "invalid_input"},
		"tags type":          {with(offer("x"), "tags", "a"), 400, "invalid_input"},
		"tag type":           {with(offer("x"), "tags", []any{1}), 400, "invalid_input"},
		"tag null":           {with(offer("x"), "tags", []any{nil}), 400, "invalid_input"},
		"many tags":          {with(offer("x"), "tags", manyTags(21)), 400, "invalid_input"},
		"same name":          {offer("TAKEN"), 409, "duplicate_name"},
		"currency loose":     {with(offer("loose"), "currency", 9), 201, ""},
		"nulls":              {`{"name":"nulls","url":"https://x.example","payout":null,"daily_cap":null,"tags":null}`, 201, ""},
		"repeated":           {`{"name":"a","name":"rep","url":"https://x.example"}`, 201, ""},
		"unknown":            {`{"name":"a","url":"https://x.example","zzz":{}}`, 400, "invalid_input"},
		"underscore name":    {`{"name":"a","url":"https://x.example","_zzz":{}}`, 201, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			s.Do("POST", "/offers", c.body).Want(c.status, c.code)
			if m, ok := c.body.(map[string]any); ok && c.status == 400 {
				m["id"] = id
				s.Do("PUT", "/offers", m).Want(c.status, c.code)
			}
		})
	}
	_, otherKey, _ := s.NewAccount("scale")
	foreign := s.As(otherKey).Do("POST", "/offers", offer("Foreign")).Want(201, "").Map()["id"]
	for _, missing := range []any{uuid.NewString(), foreign} {
		s.Do("PUT", "/offers", with(offer("x"), "id", missing)).Want(404, "not_found")
		s.Do("PATCH", "/offers", map[string]any{"id": missing, "is_active": true}).Want(404, "not_found")
		s.Do("DELETE", fmt.Sprintf("/offers?id=%v", missing), nil).Want(404, "not_found")
		s.Do("POST", fmt.Sprintf("/offers/%v/clone", missing), nil).Want(404, "not_found")
	}
	for _, bad := range []any{"x", 5, nil, ""} {
		s.Do("PUT", "/offers", with(offer("x"), "id", bad)).Want(400, "invalid_id")
		s.Do("PATCH", "/offers", map[string]any{"id": bad, "is_active": true}).Want(400, "invalid_id")
	}
	for _, bad := range []any{"true", 1, nil} {
		s.Do("PATCH", "/offers", map[string]any{"id": id, "is_active": bad}).Want(400, "invalid_status")
	}
	s.Do("PATCH", "/offers", map[string]any{"id": id}).Want(400, "invalid_status")
	s.Do("DELETE", "/offers", nil).Want(400, "invalid_id")
	s.Do("DELETE", "/offers?id=x", nil).Want(400, "invalid_id")
	s.Do("POST", "/offers/x/clone", nil).Want(400, "invalid_id")
}

func manyTags(n int) (tags []string) {
	for i := range n {
		tags = append(tags, fmt.Sprint("t", i))
	}
	return tags
}

func TestOfferAllowance(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	// The plan growth allows 500 offers.
	_, err := s.DB.ExecContext(t.Context(), `INSERT INTO offers (id, account_id, name, url)
		SELECT gen_random_uuid(), $1, 'o' || n, 'https://x.example' FROM generate_series(1, 495) n`, s.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	// Twelve calls at once compete for the last five places.
	statuses := make(chan int, 12)
	for i := range 12 {
		go func() { statuses <- s.Do("POST", "/offers", offer(fmt.Sprint("race ", i))).Status }()
	}
	count := map[int]int{}
	for range 12 {
		count[<-statuses]++
	}
	if count[http.StatusCreated] != 5 || count[http.StatusPaymentRequired] != 7 {
		t.Fatalf("number of answers by status: %v, want five 201 and seven 402", count)
	}
	s.Do("POST", "/offers", offer("more")).Want(402, "plan_limit")
}

// TestListFilters: lists can be filtered by name, status, group and tag, and sorted, page by page.
func TestListFilters(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for i, name := range []string{"Sweeps DE", "sweeps fr", "100% Dating", "Nutra"} {
		body := map[string]any{
			"name": name, "url": "https://x.example", "group_name": []string{"EU", "eu", "", "US"}[i], "tags": []string{[]string{"a", "b"}[i%2]},
		}
		for _, path := range []string{"/offers", "/landers"} {
			id := s.Do("POST", path, body).Want(201, "").Map()["id"]
			if name == "Nutra" {
				s.Do("PATCH", path, map[string]any{"id": id, "is_active": false}).Want(200, "")
			}
		}
	}
	for _, path := range []string{"/offers", "/landers"} {
		for query, want := range map[string]int{
			"": 4, "q=SWEEPS": 2, "q=%25": 1, "q=_": 0, "status=paused": 1, "status=active": 3, "group=eu": 2, "tag=a": 2,
			"q=s&group=EU&tag=b&status=active": 1, "tag=c": 0,
		} {
			seen, cursor := 0, ""
			for page := 0; page == 0 || cursor != ""; page++ {
				got := s.Do("GET", path+"?limit=1&cursor="+cursor+"&"+query, nil).Want(200, "").Map()
				seen += len(got["rows"].([]any))
				if cursor, _ = got["next_cursor"].(string); cursor != "" && page == 0 {
					s.Do("GET", path+"?limit=1&q=other&cursor="+cursor, nil).Want(400, "invalid_input")
				}
			}
			if seen != want {
				t.Errorf("%s?%s: %d rows, want %d", path, query, seen, want)
			}
		}
		for sort, want := range map[string]string{
			"name": "100% Dating|Nutra|Sweeps DE|sweeps fr", "-name": "sweeps fr|Sweeps DE|Nutra|100% Dating",
			"created_at": "Sweeps DE|sweeps fr|100% Dating|Nutra", "-created_at": "Nutra|100% Dating|sweeps fr|Sweeps DE",
		} {
			var names []string
			for next := "?limit=1&sort=" + sort; next != ""; {
				got := s.Do("GET", path+next, nil).Want(200, "").Map()
				names = append(names, got["rows"].([]any)[0].(map[string]any)["name"].(string))
				if next, _ = got["next_cursor"].(string); next != "" {
					s.Do("GET", path+"?limit=1&cursor="+next, nil).Want(400, "invalid_input")
					next = "?limit=1&sort=" + sort + "&cursor=" + next
				}
			}
			if got := strings.Join(names, "|"); got != want {
				t.Errorf("%s by %s: %s, want %s", path, sort, got, want)
			}
		}
		s.Do("GET", path+"?status=on", nil).Want(400, "invalid_input")
		s.Do("GET", path+"?sort=clicks", nil).Want(400, "invalid_input")
		s.Do("GET", path+"?search=x", nil).Want(400, "invalid_input")
	}
	for _, path := range []string{"/campaigns", "/traffic-sources", "/networks", "/flows"} {
		s.Do("GET", path+"?sort=-name&q=x&status=paused&group=g&tag=t", nil).Want(200, "")
	}
	for _, path := range []string{"/rules", "/short-links"} {
		s.Do("GET", path+"?q=x&sort=name", nil).Want(200, "")
	}
}

// TestLinksAreFound: the parameter q of a list also matches the alias of a campaign and the slug of a smartlink.
func TestLinksAreFound(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	d.make(t, with(with(d.campaign("Autumn"), "alias", "found-by-alias"), "domain_id", d.ownDomain))
	d.Do("POST", "/short-links", smartlink("found-by-slug", d.ownDomain)).Want(201, "")
	for path, want := range map[string]int{
		"/campaigns?q=BY-ALIAS": 1, "/campaigns?q=autumn": 1, "/campaigns?q=by-slug": 0,
		"/short-links?q=By-Slug&status=active": 1, "/short-links?q=by-slug&status=paused": 0, "/short-links?q=none": 0,
	} {
		if rows := d.Do("GET", path, nil).Want(200, "").Map()["rows"].([]any); len(rows) != want {
			t.Errorf("%s: %d rows, want %d", path, len(rows), want)
		}
	}
}
