CREATE TABLE "collections" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"order_id" uuid NOT NULL,
	"chain_id" integer NOT NULL,
	"amount_wei" numeric(78, 0) NOT NULL,
	"nonce" integer NOT NULL,
	"tx_hash" text NOT NULL,
	"signed" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"outcome" text
);
--> statement-breakpoint
CREATE TABLE "order_keys" (
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"order_id" uuid NOT NULL,
	CONSTRAINT "order_keys_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid,
	"plan_id" text NOT NULL,
	"price_wei" numeric(78, 0) NOT NULL,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"treasury" text NOT NULL,
	"payer" text NOT NULL,
	"path" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"watched_until" timestamp (3) with time zone NOT NULL,
	"cancelled_at" timestamp (3) with time zone,
	"paid_at" timestamp (3) with time zone,
	"flags" text[] DEFAULT '{}' NOT NULL,
	"tx_hash" text,
	"replaced_hashes" text[] DEFAULT '{}' NOT NULL,
	"tx_state" text,
	"tx_sender" text,
	"tx_nonce" integer,
	"tx_seen_at" timestamp (3) with time zone,
	"block_number" bigint,
	"confirmations" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "order_id" uuid;--> statement-breakpoint
ALTER TABLE "unmatched_transfers" ADD COLUMN "order_id" uuid;--> statement-breakpoint
ALTER TABLE "unmatched_transfers" ADD COLUMN "reverted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "collections" ADD CONSTRAINT "collections_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_keys" ADD CONSTRAINT "order_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "order_keys" ADD CONSTRAINT "order_keys_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "collections_running" ON "collections" USING btree ("order_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "collections_unended" ON "collections" USING btree ("chain_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "orders_account" ON "orders" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_created" ON "orders" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "orders_payer" ON "orders" USING btree ("chain_id","payer") WHERE paid_at is null;--> statement-breakpoint
CREATE INDEX "orders_unpaid" ON "orders" USING btree ("chain_id","watched_until") WHERE paid_at is null;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "unmatched_transfers" ADD CONSTRAINT "unmatched_transfers_order_id_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payments_order" ON "payments" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "unmatched_transfers_order" ON "unmatched_transfers" USING btree ("order_id");