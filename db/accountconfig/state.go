package accountconfig

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/flow"
	"switchyard/models/trackerimport"
)

// State has the records of an account as members of a document, together with the ids of the records.
type State struct {
	accountconfig.Current
	keys
}

// keys has the keys of an account's records, and implements accountconfig.IDs. It also has the keys of removed records, so that a
// new record does not get one of them by chance.
type keys struct {
	ids    map[accountconfig.Kind]map[string]uuid.UUID
	names  map[accountconfig.Kind]map[uuid.UUID]string
	gone   map[accountconfig.Kind]map[string]bool
	shared uuid.UUID // the shared link domain
	whole  bool      // Key also returns the keys of removed records
}

// ID returns the id of a record by its key.
func (k keys) ID(kind accountconfig.Kind, key string) (uuid.UUID, bool) {
	if kind == accountconfig.Domains && key == accountconfig.SharedDomain {
		return k.shared, k.shared != uuid.Nil
	}
	id, ok := k.ids[kind][key]
	return id, ok && !k.gone[kind][key]
}

// Key returns the key of a record by its id.
func (k keys) Key(kind accountconfig.Kind, id uuid.UUID) (string, bool) {
	if kind == accountconfig.Domains && id == k.shared && id != uuid.Nil {
		return accountconfig.SharedDomain, true
	}
	key, ok := k.names[kind][id]
	return key, ok && (k.whole || !k.gone[kind][key])
}

func (k keys) add(kind accountconfig.Kind, key string, id uuid.UUID) {
	if k.ids[kind] == nil {
		k.ids[kind], k.names[kind], k.gone[kind] = map[string]uuid.UUID{}, map[uuid.UUID]string{}, map[string]bool{}
	}
	k.ids[kind][key], k.names[kind][id] = id, key
	delete(k.gone[kind], key)
}

// NameAll makes references to removed records show the keys that those records had. Applying a plan needs this, because the plan
// may refer to records that were removed after it was made.
func (st *State) NameAll() { st.whole = true }

// Load reads the records of an account. It gives a key to each record that does not have one yet.
func Load(ctx context.Context, s *store.Store, account uuid.UUID) (*State, error) {
	return store.TxOf(ctx, s, func(s *store.Store) (*State, error) {
		a, err := s.FindAccount(ctx, account)
		if err != nil {
			return nil, err
		}
		st := &State{Current: accountconfig.Current{
			Account: a, Records: accountconfig.Document{}, Removed: map[accountconfig.Kind]map[string]bool{},
		}}
		all, err := readAll(ctx, s, a)
		if err != nil {
			return nil, err
		}
		if err := st.loadKeys(ctx, s, all); err != nil {
			return nil, err
		}
		st.Shared = st.shared != uuid.Nil
		if err := st.encode(all); err != nil {
			return nil, err
		}
		if st.Room, err = room(ctx, s, a); err != nil {
			return nil, err
		}
		return st, nil
	})
}

const selectKeys = `SELECT kind, key, record_id FROM config_keys WHERE account_id = $1`

func readKeys(ctx context.Context, s *store.Store, account uuid.UUID) (keys, error) {
	k := keys{ids: map[accountconfig.Kind]map[string]uuid.UUID{}, names: map[accountconfig.Kind]map[uuid.UUID]string{}, gone: map[accountconfig.Kind]map[string]bool{}}
	rows, err := db.Select[struct {
		Kind accountconfig.Kind `db:"kind"`
		Key  string             `db:"key"`
		ID   uuid.UUID          `db:"record_id"`
	}](ctx, s.Conn(), "keys of records", selectKeys, account)
	if err != nil {
		return k, err
	}
	for _, r := range rows {
		k.add(r.Kind, r.Key, r.ID)
	}
	shared, err := s.Domains().Shared(ctx)
	if err == nil && len(shared) > 0 {
		k.shared = shared[0].ID
	}
	return k, err
}

// readAll reads the records of every kind, and removed records to which they refer.
func readAll(ctx context.Context, s *store.Store, account models.Account) (map[accountconfig.Kind][]loaded, error) {
	all := map[accountconfig.Kind][]loaded{}
	var refs []uuid.UUID
	for _, name := range slices.Backward(accountconfig.Kinds) { // in this order a kind comes before the kinds to which it refers
		list, err := kinds[name].all(ctx, s, account, refs)
		if err != nil {
			return nil, err
		}
		all[name] = list
		for _, l := range list {
			refs = append(refs, l.refs...)
		}
	}
	return all, nil
}

// keyTries is how often loadKeys tries while other processes add keys too.
const keyTries = 3

func (st *State) loadKeys(ctx context.Context, s *store.Store, all map[accountconfig.Kind][]loaded) (err error) {
	for range keyTries {
		if st.keys, err = readKeys(ctx, s, st.Account.ID); err != nil {
			return err
		}
		if done, err := st.addKeys(ctx, s, all); err != nil || done {
			return err
		}
	}
	return models.Conflict("stale", "the account was changed at the same time: try again")
}

const (
	insertKeys = `INSERT INTO config_keys (account_id, kind, key, record_id)
SELECT $1, * FROM unnest($2::text[], $3::text[], $4::uuid[]) ON CONFLICT DO NOTHING`
	moveKeys = `UPDATE config_keys k SET record_id = n.id FROM unnest($3::text[], $4::uuid[]) AS n (key, id)
WHERE k.account_id = $1 AND k.kind = $2 AND k.key = n.key`
)

// addKeys gives each new record a key. A host that was removed and added again keeps its key. addKeys returns false if another
// process added the same keys at the same time.
func (st *State) addKeys(ctx context.Context, s *store.Store, all map[accountconfig.Kind][]loaded) (bool, error) {
	var names, made, hosts []string
	var ids, moved []uuid.UUID
	for _, kind := range accountconfig.Kinds {
		for key := range st.ids[kind] {
			st.gone[kind][key] = true
		}
		for _, l := range all[kind] {
			if key, ok := st.names[kind][l.id]; ok {
				delete(st.gone[kind], key)
				continue
			}
			taken := func(key string) bool { _, taken := st.ids[kind][key]; return taken }
			key := l.name // the host, for a domain
			if kind != accountconfig.Domains {
				key = accountconfig.NewKey(kind, l.name, taken)
			}
			if taken(key) {
				hosts, moved = append(hosts, key), append(moved, l.id)
			} else {
				names, made, ids = append(names, string(kind)), append(made, key), append(ids, l.id)
			}
			st.add(kind, key, l.id)
		}
	}
	if len(moved) > 0 {
		if _, err := db.Exec(ctx, s.Conn(), "keys of domains", moveKeys, st.Account.ID, accountconfig.Domains, hosts, db.UUIDs(moved)); err != nil {
			return false, err
		}
	}
	if len(ids) == 0 {
		return true, nil
	}
	n, err := db.Exec(ctx, s.Conn(), "keys of records", insertKeys, st.Account.ID, names, made, db.UUIDs(ids))
	return int(n) == len(ids), err
}

func (st *State) encode(all map[accountconfig.Kind][]loaded) error {
	for kind, list := range all {
		st.Records[kind], st.Removed[kind] = map[string]accountconfig.Members{}, map[string]bool{}
		for _, l := range list {
			key, _ := st.Key(kind, l.id)
			m, err := l.encode(st)
			if err != nil {
				return err
			}
			if l.removed {
				m["is_active"] = false
				st.Removed[kind][key] = true
			}
			st.Records[kind][key] = m
		}
	}
	return nil
}

// Save creates or replaces a record of a document, and returns its new members. The store must be in a transaction. The error has
// the code "stale" if the stored record is not equal to `before`. If `before` is nil, Save creates the record, or replaces
// a record that Reserve or an interrupted run has created.
func (st *State) Save(ctx context.Context, s *store.Store, kind accountconfig.Kind, key string, before, after accountconfig.Members) (
	accountconfig.Members, error,
) {
	k, id := kinds[kind], st.ids[kind][key]
	if id != uuid.Nil {
		now, err := k.find(ctx, s, st.Account, id, st)
		switch gone := notFound(err); {
		case err != nil && !gone:
			return nil, err
		case before != nil && (gone || !accountconfig.Equal(now, before)):
			return nil, errStale
		case gone:
			id = uuid.Nil
		}
	}
	saved, err := k.save(ctx, s, st.Account, id, key, after, st)
	if err != nil {
		return nil, err
	}
	if saved != id {
		st.add(kind, key, saved)
		const q = `INSERT INTO config_keys (account_id, kind, key, record_id) VALUES ($1, $2, $3, $4)
			ON CONFLICT (account_id, kind, key) DO UPDATE SET record_id = excluded.record_id`
		if err := db.ExecOne(ctx, s.Conn(), "key of a record", q, st.Account.ID, kind, key, saved); err != nil {
			return nil, err
		}
	}
	return k.find(ctx, s, st.Account, saved, st)
}

// Link replaces the links of other trackers that lead to a campaign. It returns the new and the old links, each with its former
// campaign. Without links, it changes nothing.
func (st *State) Link(ctx context.Context, s *store.Store, campaign string, links []trackerimport.Link) ([]store.FormerLink, error) {
	if len(links) == 0 {
		return nil, nil
	}
	list := make([]models.ForeignLink, len(links))
	for i, l := range links {
		list[i] = models.ForeignLink{Form: l.Form, ForeignID: l.ID}
		if id, ok := st.ID(accountconfig.Domains, l.Domain); ok {
			list[i].DomainID = uuid.NullUUID{UUID: id, Valid: true}
		}
	}
	id := st.ids[accountconfig.Campaigns][campaign]
	former, err := s.ForeignLinks().Former(ctx, st.Account.ID, id, list)
	if err != nil {
		return nil, err
	}
	return former, s.ForeignLinks().Replace(ctx, st.Account.ID, id, list)
}

// Links returns the links of other trackers that lead to a campaign.
func (st *State) Links(ctx context.Context, s *store.Store, campaign string) ([]store.FormerLink, error) {
	return s.ForeignLinks().Former(ctx, st.Account.ID, st.ids[accountconfig.Campaigns][campaign], nil)
}

// Relink makes links of other trackers lead where they led before a campaign was written.
func (st *State) Relink(ctx context.Context, s *store.Store, campaign string, former []store.FormerLink) error {
	return s.ForeignLinks().Restore(ctx, st.Account.ID, st.ids[accountconfig.Campaigns][campaign], former)
}

// Reserve creates a paused campaign whose only path does nothing, so that campaigns that pass visitors on to it can be written
// first.
func (st *State) Reserve(ctx context.Context, s *store.Store, key string, after accountconfig.Members) error {
	m := accountconfig.Members{
		"name": after["name"], "domain": after["domain"], "alias": after["alias"], "status": models.CampaignPaused,
		"paths": []any{map[string]any{"action": flow.ActionNothing}},
	}
	_, err := st.Save(ctx, s, accountconfig.Campaigns, key, nil, m)
	return err
}

var errStale = models.Conflict("stale", "it has changed since the plan was made")

func notFound(err error) bool {
	e, ok := models.AsError(err)
	return ok && e.Kind == models.KindNotFound
}

// Remove deletes a record of a document. The error has the code "stale" if the stored record is not equal to `before`, and
// "has_clicks" for a campaign with clicks.
func (st *State) Remove(ctx context.Context, s *store.Store, kind accountconfig.Kind, key string, before accountconfig.Members) error {
	id := st.ids[kind][key]
	now, err := kinds[kind].find(ctx, s, st.Account, id, st)
	if notFound(err) || err == nil && !accountconfig.Equal(now, before) {
		return errStale
	}
	if err == nil && kind == accountconfig.Campaigns {
		err = refuseClicked(ctx, s, st.Account.ID, id)
	}
	if err == nil {
		err = kinds[kind].remove(ctx, s, st.Account.ID, id)
	}
	if err == nil {
		st.gone[kind][key] = true
	}
	return err
}

// clicked selects the campaigns of an account that have clicks, or only the campaign $2 if it is not NULL.
const clicked = `
SELECT campaign_id FROM ledger_rollups WHERE rollup = 'traffic' AND account_id = $1 AND ($2::uuid IS NULL OR campaign_id = $2)
UNION SELECT campaign_id FROM ledger WHERE account_id = $1 AND NOT merged AND ($2::uuid IS NULL OR campaign_id = $2)`

func refuseClicked(ctx context.Context, s *store.Store, account, campaign uuid.UUID) error {
	_, has, err := db.First[uuid.UUID](ctx, s.Conn(), "clicks of a campaign", clicked+` LIMIT 1`, account, campaign)
	if err == nil && has {
		err = models.Conflict("has_clicks", "the campaign has clicks, so it is not deleted: archive it")
	}
	return err
}

// FindClicked looks up which campaigns have clicks.
func (st *State) FindClicked(ctx context.Context, s *store.Store) error {
	ids, err := db.Select[uuid.UUID](ctx, s.Conn(), "campaigns with clicks", clicked, st.Account.ID, uuid.NullUUID{})
	st.Clicked = map[string]bool{}
	for _, id := range ids {
		if key, ok := st.Key(accountconfig.Campaigns, id); ok {
			st.Clicked[key] = true
		}
	}
	return err
}

// room returns how many more records of each kind the subscription of an account allows.
func room(ctx context.Context, s *store.Store, account models.Account) (map[accountconfig.Kind]int, error) {
	tables, err := s.Usage().Room(ctx, account)
	out := map[accountconfig.Kind]int{}
	for name, n := range tables {
		out[accountconfig.Kind(name)] = n
	}
	return out, err
}
