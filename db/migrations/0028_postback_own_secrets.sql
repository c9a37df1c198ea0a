-- Deletes the parameters of postbacks that may hold a secret in clear text: those with the name that a network of the account has
-- chosen for its secret, and those whose value is a list or an object with texts. For a postback without an account, the names of
-- all networks count. A postback that is not decided yet still needs its secret. The program deletes that secret when it decides
-- the postback.
-- +goose NO TRANSACTION
-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    last uuid := nobody;
    batch uuid[];
BEGIN
    LOOP
        batch := ARRAY(SELECT id FROM postbacks WHERE id > last ORDER BY id LIMIT 2000);
        EXIT WHEN batch = '{}';
        WITH secrets AS MATERIALIZED (
            SELECT DISTINCT owner.id AS account_id, lower(btrim(n.postback_params->>'secret')) AS name
            FROM networks n CROSS JOIN LATERAL (VALUES (n.account_id), (nobody)) AS owner (id)
            WHERE n.postback_params ? 'secret'
        ), hidden AS (
            SELECT p.id, array_agg(param.key) AS names
            FROM postbacks p CROSS JOIN LATERAL jsonb_each_text(p.params) AS param
                LEFT JOIN secrets s ON s.account_id = p.account_id AND s.name = lower(param.key)
            WHERE p.id = ANY (batch) AND p.outcome <> 'pending' AND (s.name IS NOT NULL OR param.value ~ '^\s*[[{].*"')
            GROUP BY p.id
        )
        UPDATE postbacks p SET params = p.params - hidden.names FROM hidden WHERE p.id = hidden.id;
        COMMIT;
        last := batch[cardinality(batch)];
    END LOOP;
END $$;
-- +goose StatementEnd
