-- The same substrings as before, for a fifth of the time: line by line, so that no substring has to be checked for a line end,
-- and a line of ASCII alone needs no substrings of two characters. What is indexed stays valid.
create or replace function order_search_grams(block bigint, content text) returns int[]
language plpgsql immutable parallel safe as $$
declare
  grams int[] := '{}';
  block_text text := block::text;
  line text;
  gram text;
begin
  foreach line in array string_to_array(content, chr(10)) loop
    for place in 1 .. char_length(line) - 2 loop
      grams := grams || hashtext(block_text || substr(line, place, 3));
    end loop;
    continue when octet_length(line) = char_length(line);
    for place in 1 .. char_length(line) - 1 loop
      gram := substr(line, place, 2);
      if octet_length(gram) > 2 then
        grams := grams || hashtext(block_text || gram);
      end if;
    end loop;
  end loop;
  return grams;
end
$$;
