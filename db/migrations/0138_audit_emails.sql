-- Adds the e-mail address of the person to older entries of the audit log. A person's address never changes.
-- +goose NO TRANSACTION
-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    last uuid := '00000000-0000-0000-0000-000000000000';
    batch uuid[];
BEGIN
    LOOP
        batch := ARRAY(SELECT id FROM audit WHERE id > last ORDER BY id LIMIT 2000);
        EXIT WHEN batch = '{}';
        UPDATE audit a SET email = u.email FROM users u WHERE a.id = ANY (batch) AND a.user_id = u.id AND a.email = '';
        COMMIT;
        last := batch[cardinality(batch)];
    END LOOP;
END $$;
-- +goose StatementEnd
