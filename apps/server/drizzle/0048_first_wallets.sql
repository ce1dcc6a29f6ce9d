ALTER TABLE "account_figures" ADD COLUMN "proved_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "account_figures_proved" ON "account_figures" USING btree ("proved_at");--> statement-breakpoint
UPDATE "account_figures" f SET "proved_at" = w."first"
FROM (SELECT "account_id", min("linked_at") AS "first" FROM "wallets" GROUP BY 1) w WHERE w."account_id" = f."account_id";--> statement-breakpoint
-- The first statement takes the lock of the row. The next one then sees what other transactions
-- have committed before it.
CREATE FUNCTION "note_first_wallet"(owner_id uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM account_figures WHERE account_id = owner_id FOR UPDATE;
  UPDATE account_figures SET proved_at = (SELECT min(linked_at) FROM wallets WHERE account_id = owner_id)
  WHERE account_id = owner_id;
END $$;--> statement-breakpoint
CREATE FUNCTION "note_wallet"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM note_first_wallet(OLD.account_id);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM note_first_wallet(NEW.account_id);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "wallets_noted" AFTER INSERT OR DELETE OR UPDATE OF "account_id", "linked_at" ON "wallets" FOR EACH ROW EXECUTE FUNCTION "note_wallet"();
