ALTER TABLE "account_figures" ADD COLUMN "subscribed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "account_figures_unsubscribed" ON "account_figures" USING btree ("account_id") WHERE not "account_figures"."subscribed";--> statement-breakpoint
UPDATE "account_figures" SET "subscribed" = true WHERE "account_id" IN (SELECT "account_id" FROM "subscriptions");--> statement-breakpoint
CREATE FUNCTION "note_subscribed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_figures SET subscribed = true WHERE account_id = NEW.account_id AND NOT subscribed;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "subscriptions_noted" AFTER INSERT OR UPDATE OF "account_id" ON "subscriptions" FOR EACH ROW EXECUTE FUNCTION "note_subscribed"();
