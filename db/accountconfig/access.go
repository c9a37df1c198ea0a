package accountconfig

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/flow"
)

// kind reads and writes the records of one kind.
type kind interface {
	// all lists the records of an account, and the removed records with the given ids.
	all(ctx context.Context, s *store.Store, account models.Account, removed []uuid.UUID) ([]loaded, error)
	// find returns the members of a record.
	find(ctx context.Context, s *store.Store, account models.Account, id uuid.UUID, ids accountconfig.IDs) (accountconfig.Members, error)
	// save replaces the record with the given id, or creates a record if the id is zero. It returns the record's id.
	save(ctx context.Context, s *store.Store, account models.Account, id uuid.UUID, key string, m accountconfig.Members, ids accountconfig.IDs) (
		uuid.UUID, error)
	remove(ctx context.Context, s *store.Store, account, id uuid.UUID) error
}

// loaded is a record that was read. It names other records by their ids. encode returns its members with keys in place of the ids.
type loaded struct {
	id      uuid.UUID
	name    string
	removed bool
	refs    []uuid.UUID // the records to which this one refers
	encode  func(accountconfig.IDs) (accountconfig.Members, error)
}

// record is a record of the store.
type record[R any] interface {
	*R
	SetOwner(account, id uuid.UUID)
	RecordID() uuid.UUID
	Owner() uuid.UUID
}

// access is a kind whose records have the type R.
type access[R any, P record[R]] struct {
	codec   func(models.Account) *accountconfig.Codec[R]
	list    func(ctx context.Context, s *store.Store, account uuid.UUID) ([]R, error)
	removed func(ctx context.Context, s *store.Store, account uuid.UUID, ids []uuid.UUID) ([]R, error) // nil: removed records are not stored
	name    func(R) string
	refs    func(R) []uuid.UUID
	one     func(ctx context.Context, s *store.Store, account, id uuid.UUID) (R, error)
	create  func(ctx context.Context, s *store.Store, key string, r R) (uuid.UUID, error)
	update  func(ctx context.Context, s *store.Store, r, old R) error
	delete  func(ctx context.Context, s *store.Store, account, id uuid.UUID) error
}

func (a access[R, P]) all(ctx context.Context, s *store.Store, account models.Account, removed []uuid.UUID) ([]loaded, error) {
	codec := a.codec(account)
	live, err := a.list(ctx, s, account.ID)
	var gone []R
	if err == nil && a.removed != nil && len(removed) > 0 {
		gone, err = a.removed(ctx, s, account.ID, removed)
	}
	if err != nil {
		return nil, err
	}
	list := make([]loaded, 0, len(live)+len(gone))
	for i, r := range append(live, gone...) {
		l := loaded{id: P(&r).RecordID(), name: a.name(r), removed: i >= len(live)}
		if a.refs != nil {
			l.refs = a.refs(r)
		}
		l.encode = func(ids accountconfig.IDs) (accountconfig.Members, error) { return codec.Encode(r, ids) }
		list = append(list, l)
	}
	return list, nil
}

func (a access[R, P]) find(ctx context.Context, s *store.Store, account models.Account, id uuid.UUID, ids accountconfig.IDs) (
	accountconfig.Members, error,
) {
	r, err := a.one(ctx, s, account.ID, id)
	if err != nil {
		return nil, err
	}
	return a.codec(account).Encode(r, ids)
}

func (a access[R, P]) save(ctx context.Context, s *store.Store, account models.Account, id uuid.UUID, key string, m accountconfig.Members,
	ids accountconfig.IDs,
) (uuid.UUID, error) {
	r, err := a.codec(account).Decode(key, m, ids)
	if err != nil {
		return id, err
	}
	P(&r).SetOwner(account.ID, id)
	if id == uuid.Nil {
		return a.create(ctx, s, key, r)
	}
	old, err := a.one(ctx, s, account.ID, id)
	if err == nil {
		err = a.update(ctx, s, r, old)
	}
	return id, err
}

func (a access[R, P]) remove(ctx context.Context, s *store.Store, account, id uuid.UUID) error {
	return a.delete(ctx, s, account, id)
}

// table is the store's access to one kind of record.
type table[R any] interface {
	All(ctx context.Context, account uuid.UUID) ([]R, error)
	Find(ctx context.Context, account, id uuid.UUID) (R, error)
	Create(ctx context.Context, r R) (R, error)
	Update(ctx context.Context, r R) (R, error)
	Remove(ctx context.Context, account, id uuid.UUID) error
}

// pausable is a table whose records can be paused. A removed record stays in the database, because history refers to it.
type pausable[R any] interface {
	table[R]
	RemovedAmong(ctx context.Context, account uuid.UUID, ids []uuid.UUID) ([]R, error)
	SetActive(ctx context.Context, account, id uuid.UUID, on bool) error
}

// plain returns the access to records of a table.
func plain[R any, P record[R], T table[R]](of func(*store.Store) T, codec *accountconfig.Codec[R], name func(R) string) access[R, P] {
	return access[R, P]{
		codec: func(models.Account) *accountconfig.Codec[R] { return codec },
		list: func(ctx context.Context, s *store.Store, account uuid.UUID) ([]R, error) {
			return of(s).All(ctx, account)
		},
		name: name,
		one: func(ctx context.Context, s *store.Store, account, id uuid.UUID) (R, error) {
			return of(s).Find(ctx, account, id)
		},
		create: func(ctx context.Context, s *store.Store, _ string, r R) (uuid.UUID, error) {
			saved, err := of(s).Create(ctx, r)
			return P(&saved).RecordID(), err
		},
		update: func(ctx context.Context, s *store.Store, r, _ R) error {
			_, err := of(s).Update(ctx, r)
			return err
		},
		delete: func(ctx context.Context, s *store.Store, account, id uuid.UUID) error {
			return of(s).Remove(ctx, account, id)
		},
	}
}

// switched is the variant of plain for records that can be paused. Its last argument reports whether a record is active.
func switched[R any, P record[R], T pausable[R]](of func(*store.Store) T, codec *accountconfig.Codec[R], name func(R) string, on func(R) bool) access[R, P] {
	a := plain[R, P](of, codec, name)
	create, update := a.create, a.update
	a.create = func(ctx context.Context, s *store.Store, key string, r R) (uuid.UUID, error) {
		id, err := create(ctx, s, key, r)
		if err == nil && !on(r) {
			err = of(s).SetActive(ctx, P(&r).Owner(), id, false)
		}
		return id, err
	}
	a.update = func(ctx context.Context, s *store.Store, r, old R) error {
		err := update(ctx, s, r, old)
		if err == nil && on(r) != on(old) {
			err = of(s).SetActive(ctx, P(&r).Owner(), P(&r).RecordID(), on(r))
		}
		return err
	}
	a.removed = func(ctx context.Context, s *store.Store, account uuid.UUID, ids []uuid.UUID) ([]R, error) {
		return of(s).RemovedAmong(ctx, account, ids)
	}
	return a
}

// pathRefs returns the ids of the records that are destinations of paths.
func pathRefs(paths []flow.Path) []uuid.UUID {
	destinations, _, _ := flow.References(paths)
	return destinations
}
