ALTER TABLE "destinations" ALTER COLUMN "public_key" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "muted_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "code_hash" text;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "code_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "code_tries" integer DEFAULT 0 NOT NULL;