package v1_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/models/notification"
	"switchyard/models/postback"
)

func network(name string) map[string]any { return map[string]any{"name": name} }

func TestNetworkRoundTrip(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/networks", map[string]any{
		"name": " Net ", "currency": "eur", "postback_params": map[string]any{"click_id": " aff_sub ", "goal": "", "cost": "c"},
		"status_map": map[string]any{"approved": []string{"OK", "ok", " sale"}, "rejected": []string{}, "pending": nil},
		"url":        "https://net.example", "offer_type": "CPL", "group_name": "G", "notes": "n", "manager_name": "M",
		"manager_email": "m@net.example", "manager_phone": "+49", "manager_im": "im", "payment_terms": "net 30",
		"payment_frequency": "weekly", "tags": []string{"a"}, "minimum_payout": 100.5, "answer_text": " OK ",
		"macros": map[string]any{"click_id": "{aff_sub}", "payout": "#price#"}, "click_param": "aff_sub",
	}).Want(201, "").Map()
	same(t, made, map[string]any{
		"name": "Net", "currency": "EUR", "postback_params": "map[click_id:aff_sub cost:c]",
		"status_map": "map[approved:[OK sale] pending:[] rejected:[]]", "has_postback_secret": false,
		"url": "https://net.example", "offer_type": "CPL", "group_name": "G", "notes": "n", "manager_name": "M",
		"manager_email": "m@net.example", "manager_phone": "+49", "manager_im": "im", "payment_terms": "net 30",
		"payment_frequency": "weekly", "tags": "[a]", "minimum_payout": 100.5, "answer_text": "OK",
		"macros": "map[click_id:{aff_sub} payout:#price#]", "click_param": "aff_sub", "status": "active",
	})
	id := made["id"]

	// Postbacks are read with the saved settings.
	read, ok, err := s.Store.PostbackNetwork(t.Context(), uuid.MustParse(id.(string)))
	if err != nil || !ok || read.Secret != "" {
		t.Fatalf("want the network without a secret: %+v, %v (%v)", read, ok, err)
	}
	m := postback.Read(map[string]string{"aff_sub": "abc", "status": "SALE"}, read.Network, "")
	if m.ClickID != "abc" || m.Status != "approved" {
		t.Errorf("the postback was not read with the saved settings: %+v", m)
	}

	put := s.Do("PUT", "/networks", with(network("Web"), "id", id)).Want(200, "").Map()
	same(t, put, map[string]any{
		"id": id, "name": "Web", "currency": "USD", "postback_params": "map[]",
		"status_map": "map[]", "url": "", "offer_type": "", "group_name": "", "notes": "", "manager_email": "",
		"tags": "[]", "minimum_payout": nil, "macros": "map[]", "click_param": "", "status": "active", "answer_text": "",
	})

	paused := s.Do("PATCH", "/networks", map[string]any{"id": id, "is_active": false}).Want(200, "").Map()
	same(t, paused, map[string]any{"id": id, "status": "paused"})
	s.Do("PUT", "/networks", with(network("Web"), "id", id)).Want(200, "")
	same(t, rowOf(t, s, "/networks", id), map[string]any{"status": "paused"})
	removed := s.Do("DELETE", fmt.Sprintf("/networks?id=%v", id), nil).Want(200, "").Map()
	same(t, removed, map[string]any{"id": id, "deactivated": true})
	s.Do("PUT", "/networks", with(network("Web"), "id", id)).Want(404, "not_found")
	s.Do("POST", "/networks", network("web")).Want(201, "")
}

func TestNetworkSecret(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]apitest.Options{"with a key": {}, "without a key": {NoKey: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, o)
			const secret, other = "s3cret-of-the-network", "an0ther-secret"
			made := s.Do("POST", "/networks", with(network("N"), "postback_secret", secret), "Idempotency-Key", "k")
			id := made.Want(201, "").Map()["id"]
			same(t, made.Map(), map[string]any{"has_postback_secret": true})
			check := func(want string) {
				t.Helper()
				n, ok, err := s.Store.PostbackNetwork(t.Context(), uuid.MustParse(id.(string)))
				if err != nil || !ok || n.Secret != want {
					t.Errorf("the secret is %q, want %q (%v)", n.Secret, want, err)
				}
			}
			check(secret)
			var sealed []byte
			err := s.DB.GetContext(t.Context(), &sealed, `SELECT postback_secret FROM networks WHERE id = $1`, id)
			if err != nil || bytes.Contains(sealed, []byte(secret)) {
				t.Errorf("the secret is stored unencrypted: %q, %v", sealed, err)
			}
			for _, blank := range []any{"", "  ", nil} {
				put := s.Do("PUT", "/networks", with(with(network("N"), "id", id), "postback_secret", blank)).Want(200, "")
				same(t, put.Map(), map[string]any{"has_postback_secret": true})
				check(secret)
			}
			s.Do("PUT", "/networks", with(network("N"), "id", id)).Want(200, "")
			check(secret)
			put := s.Do("PUT", "/networks", with(with(network("N"), "id", id), "postback_secret", other)).Want(200, "")
			check(other)
			list := s.Do("GET", "/networks", nil).Want(200, "")
			// The address shows the secret to callers who may write.
			address := regexp.MustCompile(`"postback_url":"[^"]*"`)
			for _, answer := range [][]byte{
				address.ReplaceAll(made.Raw, nil), address.ReplaceAll(put.Raw, nil), address.ReplaceAll(list.Raw, nil),
				s.As(s.ReadKey).Do("GET", "/networks", nil).Want(200, "").Raw,
			} {
				if bytes.Contains(answer, []byte(secret)) || bytes.Contains(answer, []byte(other)) {
					t.Errorf("an answer shows the secret: %s", answer)
				}
			}
			// The answer that is stored for a repeated call is encrypted.
			var stored []byte
			err = s.DB.GetContext(t.Context(), &stored, `SELECT convert_to(string_agg(row_to_json(k)::text, ''), 'UTF8') FROM idempotency_keys k`)
			if err != nil || len(stored) == 0 || bytes.Contains(stored, []byte(secret)) ||
				bytes.Contains(stored, []byte(hex.EncodeToString([]byte(secret)))) {
				t.Errorf("the stored answer shows the secret: %s, %v", stored, err)
			}
		})
	}
}

func TestNetworkErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/networks", network("Taken")).Want(201, "").Map()["id"]
	other := s.Do("POST", "/networks", network("Other")).Want(201, "").Map()["id"]
	s.Do("PUT", "/networks", with(network("TAKEN"), "id", other)).Want(409, "duplicate_name")
	refusedIDs(t, s, "/networks", network)
	for _, bad := range []any{"true", 1, nil} {
		s.Do("PATCH", "/networks", map[string]any{"id": id, "is_active": bad}).Want(400, "invalid_status")
	}
	s.Do("PATCH", "/networks", map[string]any{"id": id}).Want(400, "invalid_status")
	words := make([]string, 101)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	type object = map[string]any
	set := func(field string, v any) object { return with(network("x"), field, v) }
	cases := map[string]refusal{
		"not json":        {`x`, 400, "bad_body"},
		"array":           {`[]`, 400, "bad_body"},
		"no name":         {object{"currency": "EUR"}, 400, "required"},
		"url":             {set("url", "net.example"), 400, "invalid_url"},
		"url long":        {set("url", "https://x.example/"+strings.Repeat("x", 2000)), 400, "too_long"},
		"secret long":     {set("postback_secret", strings.Repeat("x", 256)), 400, "too_long"},
		"secret control":  {set("postback_secret", "a\tb"), 400, "invalid_input"},
		"secret macro":    {set("postback_secret", "{secret}"), 400, "invalid_input"},
		"secret type":     {set("postback_secret", 5), 400, "invalid_input"},
		"offer type":      {set("offer_type", "CPX"), 400, "invalid_input"},
		"payout type":     {set("minimum_payout", "5"), 400, "invalid_number"},
		"payout low":      {set("minimum_payout", -1), 400, "out_of_range"},
		"payout high":     {set("minimum_payout", 1000000.01), 400, "out_of_range"},
		"params key":      {set("postback_params", object{"clickid": "x"}), 400, "invalid_input"},
		"params value":    {set("postback_params", object{"click_id": 5}), 400, "invalid_input"},
		"params type":     {set("postback_params", []any{}), 400, "invalid_input"},
		"params long":     {set("postback_params", object{"goal": strings.Repeat("x", 101)}), 400, "too_long"},
		"macros key":      {set("macros", object{"x": "x"}), 400, "invalid_input"},
		"macros value":    {set("macros", object{"goal": []any{}}), 400, "invalid_input"},
		"macros long":     {set("macros", object{"goal": strings.Repeat("x", 256)}), 400, "too_long"},
		"statuses key":    {set("status_map", object{"paid": []string{"x"}}), 400, "invalid_input"},
		"statuses text":   {set("status_map", object{"approved": "x"}), 400, "invalid_input"},
		"statuses word":   {set("status_map", object{"approved": []any{1}}), 400, "invalid_input"},
		"statuses type":   {set("status_map", 1), 400, "invalid_input"},
		"statuses long":   {set("status_map", object{"pending": []string{strings.Repeat("x", 256)}}), 400, "too_long"},
		"statuses many":   {set("status_map", object{"pending": words}), 400, "invalid_input"},
		"statuses twice":  {set("status_map", object{"approved": []string{"ok"}, "rejected": []string{"OK "}}), 400, "invalid_input"},
		"answer long":     {set("answer_text", strings.Repeat("x", 201)), 400, "too_long"},
		"answer page":     {set("answer_text", "<b>OK"), 400, "invalid_input"},
		"answer lines":    {set("answer_text", "a\nb"), 400, "invalid_input"},
		"tags":            {set("tags", manyTags(21)), 400, "invalid_input"},
		"same name":       {network("TAKEN"), 409, "duplicate_name"},
		"currency loose":  {with(network("loose"), "currency", []any{}), 201, ""},
		"payout null":     {with(network("free"), "minimum_payout", nil), 201, ""},
		"payout of zero":  {with(network("zero"), "minimum_payout", 0), 201, ""},
		"secret of 255":   {with(network("long secret"), "postback_secret", strings.Repeat("x", 255)), 201, ""},
		"url of 2000":     {with(network("long url"), "url", "https://x.example/"+strings.Repeat("x", 1982)), 201, ""},
		"nulls and blank": {object{"name": "nulls", "postback_params": nil, "status_map": nil, "macros": nil, "url": ""}, 201, ""},
	}
	for field, limit := range map[string]int{
		"name": 255, "group_name": 255, "notes": 2000, "manager_name": 255, "manager_email": 255, "manager_phone": 255,
		"manager_im": 255, "payment_terms": 255, "payment_frequency": 255, "click_param": 100,
	} {
		cases["long "+field] = refusal{set(field, strings.Repeat("ä", limit+1)), 400, "too_long"}
	}
	refused(t, s, "/networks", id, cases)
}

// A template can create the network of a sales platform that sends its own notifications, such as Shopify. Its postback address
// has at most one parameter, the secret.
func TestNetworkScheme(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, scheme := range notification.All() {
		made := s.Do("POST", "/networks", map[string]any{"template": scheme.Template, "postback_secret": "s3cret"}).Want(201, "").Map()
		same(t, made, map[string]any{"name": scheme.Template, "postback_scheme": scheme.Name, "click_param": scheme.ClickParam})
		address := fmt.Sprint(made["postback_url"])
		want := "/postback/" + fmt.Sprint(made["id"])
		if scheme.SecretInAddress {
			want += "?secret=s3cret"
		}
		if !strings.HasSuffix(address, want) {
			t.Errorf("%s: the address is %s, want no parameters except the secret", scheme.Name, address)
		}
		read, ok, err := s.Store.PostbackNetwork(t.Context(), uuid.MustParse(fmt.Sprint(made["id"])))
		if err != nil || !ok || read.Scheme != scheme.Name {
			t.Errorf("%s: the network was saved with another scheme: %+v (%v)", scheme.Name, read, err)
		}
		for word, status := range scheme.Words {
			if got := postback.Means(word, read.Statuses).Status; got != status {
				t.Errorf("%s: the word %s means %s, want %s", scheme.Name, word, got, status)
			}
		}
		tested := s.Do("POST", fmt.Sprint("/networks/", made["id"], "/test-postback"), nil).Want(200, "").Map()
		same(t, tested, map[string]any{"result": "refused"})
	}
	s.Do("POST", "/networks", with(network("X"), "postback_scheme", "paypal")).Want(400, "invalid_input")
	// The secret for signatures may look like a macro.
	s.Do("POST", "/networks", with(with(network("Z"), "postback_scheme", "digistore24"), "postback_secret", "{a}")).Want(201, "")
	id := s.Do("POST", "/networks", with(network("Y"), "postback_scheme", "stripe")).Want(201, "").Map()["id"]
	put := s.Do("PUT", "/networks", with(network("Y"), "id", id)).Want(200, "").Map()
	same(t, put, map[string]any{"postback_scheme": ""})
	saved := s.Do("POST", "/network-templates", `{"name": "Mine", "postback_scheme": "shopify"}`).Want(201, "").Map()["rows"].([]any)[0].(map[string]any)
	same(t, saved, map[string]any{"postback_scheme": "shopify", "postback_query": ""})
}
