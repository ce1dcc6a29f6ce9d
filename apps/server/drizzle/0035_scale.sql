DROP INDEX "alerts_asset";--> statement-breakpoint
DROP INDEX "alerts_type";--> statement-breakpoint
DROP INDEX "alerts_words";--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "words" "tsvector" GENERATED ALWAYS AS (to_tsvector('simple', regexp_replace(asset || ' ' || anomaly_type || ' ' || regime || ' ' || summary, '[^[:alnum:]]+', ' ', 'g'))) STORED;--> statement-breakpoint
CREATE INDEX "alerts_of_asset" ON "alerts" USING btree ("asset","log_index","priority","created_at","broadcast_at");--> statement-breakpoint
CREATE INDEX "alerts_of_type" ON "alerts" USING btree ("anomaly_type","log_index","priority","created_at","broadcast_at");--> statement-breakpoint
CREATE INDEX "alerts_of_regime" ON "alerts" USING btree ("regime","log_index","priority","created_at","broadcast_at");--> statement-breakpoint
CREATE INDEX "alerts_words_stored" ON "alerts" USING gin ("words");--> statement-breakpoint
CREATE INDEX "payments_without_order" ON "payments" USING btree ("created_at","id") WHERE order_id is null;--> statement-breakpoint
ALTER TABLE "alerts" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);--> statement-breakpoint
ALTER TABLE "payments" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);--> statement-breakpoint
-- Speeds up searches for parts of words. A role that may not create the extension does without.
DO $$ BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX "accounts_name_parts" ON "accounts" USING gin ("name" gin_trgm_ops);
  CREATE INDEX "accounts_email_parts" ON "accounts" USING gin ("email" gin_trgm_ops);
  CREATE INDEX "accounts_id_parts" ON "accounts" USING gin (("id"::text) gin_trgm_ops);
  CREATE INDEX "wallets_address_parts" ON "wallets" USING gin ("address" gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'pg_trgm is not available: %', SQLERRM;
END $$;
