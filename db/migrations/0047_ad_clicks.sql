-- The clicks whose link had the click id of an ad platform in its query.
-- +goose Up
CREATE TABLE ad_clicks (
    account_id uuid NOT NULL,
    ad         uuid NOT NULL, -- a hash of the parameter and its value
    click_id   uuid NOT NULL,
    PRIMARY KEY (account_id, ad, click_id)
);
CREATE INDEX ad_clicks_click ON ad_clicks (click_id);

-- +goose Down
DROP TABLE ad_clicks;
