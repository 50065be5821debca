# Makes a model with the fingerprint of another one, which is easy: fingerprints are no cryptography.
package ForgedModel;

use strict;
use warnings;
no warnings 'portable';

use Exporter 'import';

our @EXPORT = qw(forged);

sub product { use integer; return $_[0] * $_[1] }
sub sum { use integer; return $_[0] + $_[1] }
sub bits { return $_[0] & ~0 }

# A step of Hasher128 (base/hash.h) and the word that leads from another state to the same one.
my ($word_factor, $factor, $term) = (0x9159015a3070dd17, 0x8eb44a8768581511, 0x152fecd8f70e5939);

sub hash_step {
    my ($lane, $word) = @_;
    my $x = bits($lane ^ product($word, $word_factor));
    return bits(sum(product(bits($x << 27) | ($x >> 37), $factor), $term));
}

sub word_to_meet {
    my ($lane, $word, $other_lane) = @_;
    my $inverse = $word_factor;
    $inverse = bits(product($inverse, sum(2, -product($word_factor, $inverse)))) for 1 .. 6;
    return bits(product(bits($lane ^ product($word, $word_factor) ^ $other_lane), $inverse));
}

# The model with another 8 bytes, and 32 bytes further on what makes up for it.
sub forged {
    my ($model, $change) = @_;
    my $head = substr($model, 16, 16);
    my @words = unpack 'Q<*', my $stream = substr($model, 0, 16) . substr($model, 32, 8 * int((length($model) - 32) / 8));
    my @lanes = (0xcbbb9d5dc1059ed9, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939);
    my $at = 4 * int(@words / 8);
    for my $i (0 .. $at - 1) { $lanes[ $i % 4 ] = hash_step($lanes[ $i % 4 ], $words[$i]) }
    my $other = bits($words[$at] ^ $change);
    my ($lane, $other_lane) = map { hash_step($lanes[0], $_) } $words[$at], $other;
    $words[ $at + 4 ] = word_to_meet($lane, $words[ $at + 4 ], $other_lane);
    $words[$at] = $other;
    my $forged = pack 'Q<*', @words;
    return substr($forged, 0, 16) . $head . substr($forged, 16) . substr($model, 16 + length $forged);
}

1;
