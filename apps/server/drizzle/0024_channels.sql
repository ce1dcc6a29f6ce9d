CREATE TABLE "channel_attempts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"delivery_id" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"status" integer,
	"took_ms" integer NOT NULL,
	"response" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_cursor" (
	"id" integer PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_deliveries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"destination_id" uuid NOT NULL,
	"log_index" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"rank" integer NOT NULL,
	"state" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"is_redelivery" boolean DEFAULT false NOT NULL,
	"delivered_at" timestamp (3) with time zone,
	"took_ms" integer
);
--> statement-breakpoint
CREATE TABLE "destinations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"host" text NOT NULL,
	"sealed" text NOT NULL,
	"public_key" text NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"not_before" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "channel_attempts" ADD CONSTRAINT "channel_attempts_delivery_id_channel_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."channel_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_deliveries" ADD CONSTRAINT "channel_deliveries_destination_id_destinations_id_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."destinations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_deliveries" ADD CONSTRAINT "channel_deliveries_log_index_log_entries_index_fk" FOREIGN KEY ("log_index") REFERENCES "public"."log_entries"("index") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "destinations" ADD CONSTRAINT "destinations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "channel_attempts_delivery" ON "channel_attempts" USING btree ("delivery_id");--> statement-breakpoint
CREATE UNIQUE INDEX "channel_deliveries_once" ON "channel_deliveries" USING btree ("destination_id","log_index");--> statement-breakpoint
CREATE INDEX "channel_deliveries_due" ON "channel_deliveries" USING btree ("next_at") WHERE "channel_deliveries"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "channel_deliveries_created" ON "channel_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "destinations_account" ON "destinations" USING btree ("account_id","created_at");