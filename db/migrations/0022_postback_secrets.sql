-- Deletes secrets and signatures that were stored in clear text. A postback that is not decided yet still needs its secret and
-- signature. The program deletes them when it decides the postback.
-- +goose Up
UPDATE postbacks SET signature = '', signed_text = '', params = coalesce(
    (SELECT jsonb_object_agg(key, value) FROM jsonb_each(params) WHERE lower(key) NOT IN ('secret', 'key', 'upd_key')), '{}')
WHERE outcome <> 'pending' AND (signature <> '' OR signed_text <> '' OR EXISTS (
    SELECT FROM jsonb_object_keys(params) AS k (name) WHERE lower(name) IN ('secret', 'key', 'upd_key')));
