# A name has the same number whatever the encoding of the database: models are carried from one to another.
use strict;
use warnings;

use SparselinTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('encodings');
$node->safe_psql('postgres',
    "CREATE DATABASE $_ TEMPLATE template0 ENCODING '$_' LC_COLLATE 'C' LC_CTYPE 'C'")
  for qw(utf8 latin1 euc_jp sql_ascii);

sub features {
    my ($database, $source) = @_;
    return $node->safe_psql($database, "SET client_encoding = 'UTF8'; SELECT sparselin_features($source)");
}

# U+00E9, which LATIN1 has in one byte, and EUC_JP in three.
my $expected = { plain => '{1001161:1}/1048576' };
for my $database (qw(utf8 latin1 euc_jp sql_ascii)) {
    $node->safe_psql($database, 'CREATE EXTENSION sparselin');
    is(features($database, "'{free}'::text[]"), $expected->{plain}, "$database: an ASCII name");
    $expected->{$_} //= features($database, $_)
      for "ARRAY[E'caf\xc3\xa9']", "jsonb_build_object(E'caf\xc3\xa9', E'cr\xc3\xa8me')", "array_to_tsvector(ARRAY[E'caf\xc3\xa9'])";
    for my $source (grep { $_ ne 'plain' } sort keys %$expected) {
        is(features($database, $source), $expected->{$source}, "$database: $source");
    }
}
isnt(features('utf8', "ARRAY[E'caf\xc3\xa9']"), features('utf8', "ARRAY['cafe']"), 'accents count');

my $names = "SET client_encoding = 'UTF8'; SELECT name FROM sparselin_names(ARRAY[E'caf\xc3\xa9'])";
is($node->safe_psql('latin1', $names), $node->safe_psql('utf8', $names), 'and names are shown as they are');

# Errors show what somebody wrote, and never what is no text of the database.
sub complaint {
    my ($database, $loss) = @_;
    my (undef, undef, $complaint) = $node->psql($database, "SET client_encoding = 'UTF8'; SELECT ($loss)::sparselin_options");
    return $complaint;
}
for my $database (qw(utf8 latin1 euc_jp)) {
    like(complaint($database, "'loss=caf\xc3\xa9'"), qr/unknown loss "caf\xc3\xa9"/, "$database: an error in its letters");
    # In EUC_JP three bytes, of which 40 cut the last in two.
    like(complaint($database, "'loss=' || repeat(E'\xc3\xa9', 50)"), qr/unknown loss "[\xc3\xa9?]+\.\.\."/,
        "$database: an error that is cut");
}

$node->stop;
done_testing();
